import {
  platformRoleGrant,
  platformRoleList,
  platformRoleRevoke,
  userDelete,
  userDisable,
  userEnable,
  userGet,
  userList,
} from '@gpuaas/contract';
import { type Act, handlers, type Mounted, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { maxShown } from './facts.ts';
import { whyNotTouch } from './operators-apart.ts';
import {
  countsOf,
  disablePerson,
  enablePerson,
  endBrowsersOf,
  erasePerson,
  findPersonById,
  type LockedPerson,
  listHolders,
  listPeople,
  lockPerson,
  organizationsOf,
  orphanedBy,
  removeBinding,
  revokeTokensOf,
  runningOf,
  showHolder,
  showPerson,
} from './people-store.ts';
import { endSessions, type SessionParts } from './sessions-routes.ts';
import { addDenials } from './sessions-store.ts';
import { insertBinding } from './store.ts';

/** People as operators see them: who they are, which roles they have on the platform, and whether they are let in. */
export interface PeopleParts extends SessionParts {
  /** Notifies every process that the standing of a person changed. */
  readonly changed: () => void;
  /** Their accounts, where people have them with us; left out where another provider keeps them. */
  readonly accounts?: OwnAccounts | undefined;
}
/** The accounts of our own provider. The subject of a person is the id of their account. */
export interface OwnAccounts {
  /** By what name its people are kept. */
  readonly issuer: string;
  disable(id: string): Promise<void>;
  enable(id: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** Mail addresses of the account, in lower case: what was sent to them is erased with the person. */
  mailsOf(id: string): Promise<readonly string[]>;
  /** When all sign-ins of the account were last ended. */
  signInsEndedAt(id: string): Promise<Date | undefined>;
}
const on = handlers<PeopleParts>();
const absent = () => new Fault('user_not_found', 'There is no such object.');
const erased = () => new Fault('user_erased', 'This person was erased: there is nothing left to change.');
const lastOperator = () =>
  new Fault('last_operator', 'This is the last superadmin who can sign in: make another person a superadmin first.');

/** The database refuses to lose the last superadmin, also when two are removed at the same moment. */
const guarded = async <T>(work: Promise<T>): Promise<T | Fault<'last_operator'>> => {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'GP006') return lastOperator();
    throw error;
  }
};

async function held(
  tx: WriteTx,
  act: Act,
  id: string,
): Promise<LockedPerson | Fault<'user_not_found' | 'user_erased' | 'insufficient_permissions'>> {
  const person = await lockPerson(tx, id);
  if (!person) return absent();
  if (person.erased_at) return erased();
  return (await whyNotTouch(tx, act, person)) ?? person;
}

/** The account of this person with our own provider; undefined for another provider. */
const accountOf = ({ accounts }: PeopleParts, person: LockedPerson) =>
  accounts && person.issuer === accounts.issuer ? { accounts, id: person.subject } : undefined;

async function shown(tx: WriteTx, id: string) {
  const row = await findPersonById(tx, id);
  if (!row) throw new Error('a person who was locked is gone');
  return showPerson(row);
}

/** Ends everything that the person could go on with: sessions, browsers, personal tokens. */
async function endAccess(parts: PeopleParts, tx: WriteTx, act: Act, userId: string, reason: string) {
  const sessions = await endSessions(parts, tx, { by: act, userId, reason });
  const browsers = await endBrowsersOf(tx, userId, act.action);
  const tokens = await revokeTokensOf(tx, userId);
  const denials = tokens.map(({ id, expires_at }) => ({
    kind: 'token' as const,
    subject: id,
    reason: act.action,
    expiresAt: expires_at,
  }));
  if (denials.length > 0) await addDenials(tx, denials, parts.clock.now());
  return { sessions, browsers, personal_tokens: tokens.length };
}

const list = on(userList, async ({ db, flush }, who, { query }) => {
  await flush();
  const { q, state } = query;
  const ids = query.ids?.split(',');
  return readPage({
    name: 'people',
    query,
    read: (before, limit) =>
      db.read(who, (tx) =>
        listPeople(tx, { before, limit, ...(q && { q }), ...(state && { state }), ...(ids && { ids }) }),
      ),
    keyOf: (row) => row.id,
    show: showPerson,
  });
});

const get = on(userGet, async ({ db, flush }, who, { params }) => {
  await flush();
  return db.read(who, async (tx) => {
    const row = await findPersonById(tx, params.user_id);
    if (!row) return absent();
    const organizations = await organizationsOf(tx, row.id, maxShown);
    return { ...showPerson(row), organization_list: organizations, ...(await countsOf(tx, row.id)) };
  });
});

const disable = on(userDisable, async (parts, act, { params, body }) => {
  const id = params.user_id;
  let account: ReturnType<typeof accountOf>;
  await parts.flush();
  const written = await parts.db.write(act, async (tx) => {
    const person = await held(tx, act, id);
    if (person instanceof Fault) return tx.abandon(person);
    const refused = await guarded(disablePerson(tx, id, body.reason));
    if (refused instanceof Fault) return tx.abandon(refused);
    const ended = await endAccess(parts, tx, act, id, body.reason);
    account = accountOf(parts, person);
    return tx.commit(await shown(tx, id), {
      target: { type: 'user', id },
      change: { reason: body.reason, ended },
      events: 'none',
    });
  });
  parts.changed();
  // Who was disabled is refused from here on. If this fails, the same request may be sent again.
  if (account) await account.accounts.disable(account.id);
  return written;
});

const enable = on(userEnable, async (parts, act, { params, body }) => {
  const id = params.user_id;
  let account: ReturnType<typeof accountOf>;
  const written = await parts.db.write(act, async (tx) => {
    const person = await held(tx, act, id);
    if (person instanceof Fault) return tx.abandon(person);
    await enablePerson(tx, id);
    account = accountOf(parts, person);
    const change = { reason: body.reason };
    return tx.commit(await shown(tx, id), { target: { type: 'user', id }, change, events: 'none' });
  });
  parts.changed();
  if (account) await account.accounts.enable(account.id);
  return written;
});

/**
 * The subject at another provider, if it is a mail address. Any other text is not looked for in what others keep: a subject
 * may be as short as one letter.
 */
const mailsIn = (subject: string): readonly string[] =>
  /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(subject) ? [subject.toLowerCase()] : [];

/** The text without the subject and any of the addresses, however they are written. */
const withoutNames = (text: string, mails: readonly string[], subject: string): string =>
  text
    .split(/(\s+)/)
    .map((word) => {
      const written = word.toLowerCase();
      const names = written === subject.toLowerCase() || mails.some((mail) => written.includes(mail));
      return names ? '[erased]' : word;
    })
    .join('');

const remove = on(userDelete, async (parts, act, { params, body }) => {
  const id = params.user_id;
  await parts.flush();
  const written = await parts.db.write(act, async (tx) => {
    const person = await held(tx, act, id);
    if (person instanceof Fault) return tx.abandon(person);
    const orphaned = await orphanedBy(tx, id, maxShown);
    if (orphaned.length > 0) {
      return tx.abandon(
        new Fault(
          'last_owner',
          `The only owner of ${orphaned.length} organizations with members: name another first.`,
          {
            organization_ids: orphaned.map((each) => each.id),
          },
        ),
      );
    }
    const running = await runningOf(tx, id, maxShown);
    if (running.length > 0) {
      return tx.abandon(
        new Fault('user_has_allocations', `${running.length} allocations have not ended: release them first.`, {
          allocation_ids: running.map((each) => each.id),
        }),
      );
    }
    const ended = await endAccess(parts, tx, act, id, body.reason);
    const account = accountOf(parts, person);
    const mails = account ? await account.accounts.mailsOf(account.id) : mailsIn(person.subject);
    const refused = await guarded(erasePerson(tx, id, mails));
    if (refused instanceof Fault) return tx.abandon(refused);
    // Before the end of the transaction: afterwards nothing says whose account it was. If the commit fails, the person is
    // still there to be deleted once more.
    if (account) await account.accounts.remove(account.id);
    // Written after the erasure, so it must not bring back what was erased.
    const reason = withoutNames(body.reason, mails, person.subject);
    return tx.commit(await shown(tx, id), {
      target: { type: 'user', id },
      change: { reason, ended },
      about: act.actorId,
      events: 'none',
    });
  });
  parts.changed();
  return written;
});

const holders = on(platformRoleList, ({ db }, who, { query }) =>
  readPage({
    name: 'platform-roles',
    query,
    read: (before, limit) => db.read(who, (tx) => listHolders(tx, before, limit)),
    keyOf: (row) => row.user_id,
    show: showHolder,
  }),
);

const grant = on(platformRoleGrant, async (parts, act, { params, body }) => {
  const { user_id: id, role } = params;
  const written = await parts.db.write(act, async (tx) => {
    const person = await lockPerson(tx, id);
    if (!person) return tx.abandon(absent());
    if (person.erased_at) return tx.abandon(erased());
    const added = await insertBinding(tx, id, role, act.actorId);
    return tx.commit(await shown(tx, id), {
      target: { type: 'user', id },
      change: { role, reason: body.reason, added: added > 0 },
      events: 'none',
    });
  });
  parts.changed();
  return written;
});

const revoke = on(platformRoleRevoke, async (parts, act, { params, body }) => {
  const { user_id: id, role } = params;
  const written = await parts.db.write(act, async (tx) => {
    if (!(await lockPerson(tx, id))) return tx.abandon(absent());
    const removed = await guarded(removeBinding(tx, id, role));
    if (removed instanceof Fault) return tx.abandon(removed);
    if (removed === 0) return tx.abandon(new Fault('platform_role_not_found', 'The person does not have this role.'));
    return tx.commit(await shown(tx, id), {
      target: { type: 'user', id },
      change: { role, reason: body.reason },
      events: 'none',
    });
  });
  parts.changed();
  return written;
});

export const peopleRoutes = (parts: PeopleParts): Mounted[] =>
  [list, get, disable, enable, remove, holders, grant, revoke].map((bind) => bind(parts));
