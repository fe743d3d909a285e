import { sql, type WriteTx } from '../../kernel/act.ts';

/**
 * Where mail to a person goes: the address that their provider gave at the last sign-in. It is kept so that people who are not
 * signed in are reached, and goes with the person.
 */
const keep = sql(
  'contact-address-keep',
  `insert into contact_addresses (user_id, email) values ($1, $2)
   on conflict (user_id) do update set email = excluded.email, updated_at = excluded.updated_at
     where is_me(contact_addresses.user_id) and contact_addresses.email <> excluded.email`,
);
/** One plain address, as mail can be sent to it. */
const shape = /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]{1,189}$/u;

export async function keepAddress(tx: WriteTx, personId: string, email: string | undefined): Promise<void> {
  if (email !== undefined && shape.test(email)) await tx.run(keep, [personId, email.toLowerCase()]);
}
