import { timingSafeEqual } from 'node:crypto';
import { chosenKinds, mayChooseMail, type NotificationKind, specOf } from '@gpuaas/contract';
import type { BeginAct, Database, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { listChoices, setChoice } from '../inbox/store.ts';
import { endDaily } from './unsubscribe-store.ts';

/** What one click ends: mails of a kind, or the daily mail as a whole. */
export type Unsubscribed = NotificationKind | 'daily';
export interface Subscription {
  readonly userId: string;
  readonly kind: Unsubscribed;
}

/** Where a click in a mail leads: a page that asks, and for programs of mail (RFC 8058) the place to post to. */
export const unsubscribePath = '/unsubscribe';

const purpose = 'unsubscribe';

const shape =
  /^(?<user>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(?<kind>[a-z_]{3,60})\.(?<mac>[A-Za-z0-9_-]{43})$/;

const isKind = (text: string): text is Unsubscribed =>
  text === 'daily' || (chosenKinds as readonly string[]).includes(text);

/** A token that ends one kind of mail to one person, and is good for nothing else. It does not expire: mails are kept for years. */
export const unsubscribeToken = (seal: Pick<Seal, 'digest'>, { userId, kind }: Subscription): string =>
  `${userId}.${kind}.${seal.digest(purpose, `${userId}.${kind}`).toString('base64url')}`;

export function readUnsubscribeToken(seal: Pick<Seal, 'digests'>, token: string): Subscription | undefined {
  const { user: userId, kind, mac } = shape.exec(token)?.groups ?? {};
  if (userId === undefined || kind === undefined || mac === undefined || !isKind(kind)) return undefined;
  const shown = Buffer.from(mac, 'base64url');
  const isOurs = seal
    .digests(purpose, `${userId}.${kind}`)
    .some((digest) => digest.length === shown.length && timingSafeEqual(digest, shown));
  return isOurs ? { userId, kind } : undefined;
}

async function end(tx: WriteTx, { userId, kind }: Subscription): Promise<void> {
  if (kind === 'daily') {
    await tx.run(endDaily, [userId]);
    return;
  }
  const chosen = (await listChoices(tx, userId)).find((each) => each.kind === kind);
  await setChoice(tx, userId, { kind, inbox: chosen?.inbox ?? true, mail: 'none' });
}

/** Ends a subscription by its token. Mail about money and security has no token; one for it is refused all the same. */
export type Unsubscribe = (token: string, correlationId: string) => Promise<Subscription | undefined>;
export const makeUnsubscribe = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly seal: Pick<Seal, 'digests'>;
}): { readonly read: (token: string) => Subscription | undefined; readonly end: Unsubscribe } => ({
  read: (token) => allowed(readUnsubscribeToken(parts.seal, token)),
  async end(token, correlationId) {
    const subscription = allowed(readUnsubscribeToken(parts.seal, token));
    if (!subscription) return undefined;
    const act = parts.begin('notification_preference.unsubscribe', { correlationId });
    const written = await parts.db.write(act, async (tx) => {
      await end(tx, subscription);
      return tx.commit(undefined, {
        target: { type: 'user', id: subscription.userId },
        change: { kind: subscription.kind, mail: 'none' },
        events: 'none',
      });
    });
    return written instanceof Fault ? undefined : subscription;
  },
});

const allowed = (subscription: Subscription | undefined): Subscription | undefined =>
  subscription && (subscription.kind === 'daily' || mayChooseMail(specOf(subscription.kind)))
    ? subscription
    : undefined;
