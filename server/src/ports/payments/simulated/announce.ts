import type { Tables } from './tables.ts';

/** What can go wrong with the news of a payment. Late news arrive after those that are sent in the meantime. */
export const deliveryFaults = ['none', 'duplicate', 'late', 'lost'] as const;
export type DeliveryFault = (typeof deliveryFaults)[number];

const lateMs = 20_000;

/** Puts a webhook where the sender finds it: once, twice, later, or not at all. */
export async function announceEvent(tables: Tables, body: string, fault: DeliveryFault, now: Date): Promise<void> {
  if (fault === 'lost') return;
  const dueAt = new Date(now.getTime() + (fault === 'late' ? lateMs : 0));
  await tables.rows(
    'announce',
    'insert into gpuaas_payments.delivery (body, due_at) select $1, $2 from generate_series(1, $3)',
    [body, dueAt, fault === 'duplicate' ? 2 : 1],
  );
}
