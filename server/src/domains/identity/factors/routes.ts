import {
  type ConfirmedFactor,
  factorBegin,
  factorConfirm,
  factorList,
  factorRemove,
  passkeyBegin,
  passkeyConfirm,
  recoveryCodesRenew,
  type SecondFactor,
  userFactorsReset,
} from '@gpuaas/contract';
import { hadSecondFactor } from '../../../kernel/access/second-factor.ts';
import {
  type Act,
  type Database,
  handlers,
  type Mounted,
  systemViewer,
  type Viewer,
  type WriteTx,
} from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Account, Confirmed, Factor, FactorRefused, Factors } from '../../../ports/identity-provider/port.ts';
import { endConsoleSessions } from '../console/console-sessions-store.ts';
import { lockPerson } from '../people-store.ts';
import { endSessions, type SessionParts } from '../sessions-routes.ts';
import { addSecurityLetter, type FactorChange } from './letters.ts';
import { whereSql } from './store.ts';

/**
 * Second factors, which lie with our own identity provider. The provider changes them in a transaction of its own, inside of
 * ours: ours holds the person, so that two changes come one after the other, and writes the audit row and the letter.
 */
export interface OwnFactors {
  /** By what name the people of our own provider are kept. */
  readonly issuer: string;
  readonly factors: Factors;
  findAccount(id: string): Promise<Account | undefined>;
}
export interface FactorParts extends SessionParts {
  readonly db: Database;
  readonly ids: Ids;
  /** Left out where another provider keeps the accounts. */
  readonly own: OwnFactors | undefined;
  /** Whether a policy asks this person for a second factor. */
  readonly isRequired: (who: Viewer) => boolean;
}
const on = handlers<FactorParts>();

interface Where {
  readonly issuer: string;
  readonly subject: string;
}
/** The account of a person with our own provider; undefined for people of another provider. */
export async function findAccountOf(
  parts: { readonly db: Database; readonly ids: Ids; readonly own: OwnFactors },
  personId: string,
): Promise<string | undefined> {
  const self = systemViewer('identity', { correlationId: parts.ids.next() });
  const [person] = await parts.db.read(self, (tx) => tx.rows<Where>(whereSql, [personId]));
  return person?.issuer === parts.own.issuer ? person.subject : undefined;
}
const elsewhere = () =>
  new Fault('factors_elsewhere', 'Another identity provider keeps this account: manage its second factors there.');

const faultOf = <R extends FactorRefused>(refused: R): Fault<CodeOf[R['refused']]> => wordsFor(refused) as never;
/** Which fault each refusal of the provider becomes. */
interface CodeOf {
  readonly code_wrong: 'factor_code_wrong';
  readonly passkey_wrong: 'passkey_wrong';
  readonly passkeys_unavailable: 'passkeys_unavailable';
  readonly too_many_tries: 'factor_attempts_exceeded';
  readonly too_many_factors: 'factor_limit';
  readonly last_factor: 'last_factor';
  readonly no_factor: 'factor_not_found';
  readonly not_found: 'factor_not_found';
}
const wordsFor = (refused: FactorRefused): Fault => {
  switch (refused.refused) {
    case 'code_wrong':
      return new Fault('factor_code_wrong', 'That code is wrong, or was used before: wait for the next one.');
    case 'passkey_wrong':
      return new Fault('passkey_wrong', 'That passkey was not accepted: begin again, and answer within five minutes.');
    case 'passkeys_unavailable':
      return new Fault(
        'passkeys_unavailable',
        'Browsers make passkeys for a domain with TLS only, and this installation is reached otherwise: use an app.',
      );
    case 'too_many_tries':
      return new Fault('factor_attempts_exceeded', 'Too many tries: wait before you try again.', {
        retry_after_ms: refused.waitMs,
      });
    case 'too_many_factors':
      return new Fault('factor_limit', 'There are as many factors as an account can have: remove one first.');
    case 'last_factor':
      return new Fault('last_factor', 'A second factor is required here: add another one before you remove the last.');
    case 'no_factor':
      return new Fault('factor_not_found', 'There is no second factor yet: add one first.');
    case 'not_found':
      return new Fault('factor_not_found', 'There is no such object.');
  }
};

/** Where a factor is there, only a sign-in that showed it may change factors: a stolen session must not remove it. */
const unproved = () =>
  new Fault('step_up_required', 'Confirm your identity to continue: sign in again with your second factor.', {
    second_factor: true,
    authorization_parameters: { prompt: 'login' },
  });

const show = (factor: Factor): SecondFactor => ({
  id: factor.id,
  kind: factor.kind,
  name: factor.name,
  created_at: factor.createdAt.toISOString(),
  last_used_at: factor.lastUsedAt?.toISOString() ?? null,
});

/** The account of the caller, held for the length of the transaction, if this sign-in may change its factors. */
async function hold({ own }: FactorParts, tx: WriteTx, act: Act) {
  const person = await lockPerson(tx, act.actorId);
  if (!own || person?.issuer !== own.issuer) return elsewhere();
  const account = await own.findAccount(person.subject);
  if (!account) return elsewhere();
  const isProved = hadSecondFactor(act.credential?.methods) || !(await own.factors.has(account.id));
  return isProved ? { factors: own.factors, account } : unproved();
}
type Held = Exclude<Awaited<ReturnType<typeof hold>>, Fault>;

/** One change of the caller's factors. A transaction that is repeated does not change them twice. */
function change<A extends object, O>(
  parts: FactorParts,
  act: Act,
  work: (held: Held) => Promise<A>,
  receipt: {
    readonly letter?: FactorChange;
    readonly about?: (done: Granted<A>) => object;
    readonly show: (done: Granted<A>) => O;
  },
) {
  let known: A | undefined;
  return parts.db.write(act, async (tx) => {
    const held = await hold(parts, tx, act);
    if (held instanceof Fault) return tx.abandon(held);
    known ??= await work(held);
    if ('refused' in known) return tx.abandon(faultOf(known as Extract<A, FactorRefused>));
    const done = known as Granted<A>;
    const { id: accountId, login, email } = held.account;
    const events = receipt.letter
      ? await addSecurityLetter(tx, parts.ids, { accountId, login, email }, receipt.letter)
      : 'none';
    return tx.commit(receipt.show(done), {
      target: { type: 'user', id: act.actorId },
      ...(receipt.about && { change: receipt.about(done) }),
      events,
    });
  });
}
type Granted<A> = Exclude<A, FactorRefused>;
const aboutFactor = ({ id, kind, name }: Factor) => ({ factor_id: id, kind, name });

const list = on(factorList, async ({ db, own, isRequired }, who) => {
  const required = isRequired(who);
  const [person] = await db.read(who, (tx) => tx.rows<Where>(whereSql, [who.actorId]));
  if (!own || person?.issuer !== own.issuer) {
    return { managed: false, required, passkeys: false, factors: [], recovery_codes_left: 0 };
  }
  const { factors, recoveryCodesLeft } = await own.factors.list(person.subject);
  const passkeys = own.factors.takesPasskeys;
  return { managed: true, required, passkeys, factors: factors.map(show), recovery_codes_left: recoveryCodesLeft };
});

const begin = on(factorBegin, (parts, act, { body }) =>
  change(parts, act, ({ factors, account }) => factors.beginTotp(account.id, body.name), {
    about: ({ id }) => ({ factor_id: id, name: body.name }),
    show: ({ id, secret, uri, expiresAt }) => ({ id, secret, uri, expires_at: expiresAt.toISOString() }),
  }),
);

const confirmed: {
  readonly letter: FactorChange;
  readonly about: (done: Confirmed) => object;
  readonly show: (done: Confirmed) => ConfirmedFactor;
} = {
  letter: 'factor_added',
  about: ({ factor }) => aboutFactor(factor),
  show: ({ factor, recoveryCodes }) => ({ factor: show(factor), recovery_codes: recoveryCodes?.join(' ') ?? null }),
};
const confirm = on(factorConfirm, (parts, act, { params, body }) =>
  change(parts, act, ({ factors, account }) => factors.confirmTotp(account.id, params.factor_id, body.code), confirmed),
);

const beginPasskey = on(passkeyBegin, (parts, act, { body }) =>
  change(parts, act, ({ factors, account }) => factors.beginPasskey(account.id, body.name), {
    about: ({ id }) => ({ factor_id: id, name: body.name }),
    show: ({ id, options, expiresAt }) => ({ id, options, expires_at: expiresAt.toISOString() }),
  }),
);

const confirmPasskey = on(passkeyConfirm, (parts, act, { params, body }) =>
  change(
    parts,
    act,
    ({ factors, account }) => factors.confirmPasskey(account.id, params.factor_id, body.credential),
    confirmed,
  ),
);

const remove = on(factorRemove, (parts, act, { params }) =>
  change(
    parts,
    act,
    ({ factors, account }) => factors.remove(account.id, params.factor_id, { keepLast: parts.isRequired(act) }),
    { letter: 'factor_removed', about: aboutFactor, show },
  ),
);

const renew = on(recoveryCodesRenew, (parts, act, { body }) =>
  change(parts, act, ({ factors, account }) => factors.renewRecoveryCodes(account.id), {
    letter: 'recovery_codes_renewed',
    about: () => ({ reason: body.reason }),
    show: (codes) => ({ recovery_codes: codes.join(' ') }),
  }),
);

const reset = on(userFactorsReset, async (parts, act, { params, body }) => {
  const id = params.user_id;
  let removed: number | undefined;
  await parts.flush();
  const written = await parts.db.write(act, async (tx) => {
    const person = await lockPerson(tx, id);
    if (!person) return tx.abandon(new Fault('user_not_found', 'There is no such object.'));
    if (person.erased_at) return tx.abandon(new Fault('user_erased', 'This person was erased.'));
    const { own } = parts;
    const account = own && person.issuer === own.issuer ? await own.findAccount(person.subject) : undefined;
    if (!own || !account) return tx.abandon(elsewhere());
    removed ??= await own.factors.reset(account.id);
    const sessions = await endSessions(parts, tx, { by: act, userId: id, reason: body.reason });
    await endConsoleSessions(tx, id, act.action, undefined);
    const to = { accountId: account.id, login: account.login, email: account.email };
    const events = await addSecurityLetter(tx, parts.ids, to, 'factors_reset');
    return tx.commit(
      { removed },
      { target: { type: 'user', id }, change: { reason: body.reason, removed, ended: { sessions } }, events },
    );
  });
  parts.announce();
  return written;
});

export const factorRoutes = (parts: FactorParts): Mounted[] =>
  [list, begin, confirm, beginPasskey, confirmPasskey, remove, renew, reset].map((bind) => bind(parts));
