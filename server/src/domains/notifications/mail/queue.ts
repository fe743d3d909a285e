import { mayChooseMail, specOf } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import type { Mail } from '../../../ports/mail/port.ts';
import {
  claimMs,
  digestBatch,
  firstRetryMs,
  longestRetryMs,
  mailBatch,
  maxReasonLength,
  overLimitMs,
  retryGrowth,
} from '../facts.ts';
import { nextDailyAt } from '../relay/listeners.ts';
import {
  countMailsOfHour,
  countWaiting,
  type MailOutcome,
  postponeMails,
  settleMails,
  type TakenMail,
  takeDailyMails,
  takeMails,
} from './queue-store.ts';
import { writeDigest, writeNotification } from './write.ts';

export interface QueueParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly mail: Mail;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly digestOf: (address: string) => Buffer;
  readonly publicUrl: string;
  /** Where a person ends mails of a kind. */
  readonly unsubscribeUrl: (subscription: {
    readonly userId: string;
    readonly kind: TakenMail['kind'] | 'daily';
  }) => string;
  readonly policy: (
    key: 'mail.max_attempts' | 'mail.max_per_recipient_per_hour' | 'notifications.digest_hour_utc',
  ) => number;
}

/** The pause before the next try: twice as long each time, up to the longest. */
export const retryInMs = (attempts: number): number =>
  Math.min(longestRetryMs, firstRetryMs * retryGrowth ** Math.max(0, attempts - 1));

/** Takes mails from the queue, and notes what became of them. Each note is one act. */
function makeRecords(parts: QueueParts) {
  const { db, clock } = parts;
  const settled = parts.metrics.counter('gpuaas_mails_settled_total', 'Mails of notifications, by outcome.', [
    'outcome',
  ]);
  return {
    async take(daily: boolean): Promise<readonly TakenMail[]> {
      const act = parts.begin('mail.take', { correlationId: parts.ids.next() });
      const taken = await db.write(act, async (tx) => {
        const mails = daily ? await takeDailyMails(tx, digestBatch, claimMs) : await takeMails(tx, mailBatch, claimMs);
        if (mails.length === 0) return tx.abandon(new Fault('event_not_found', 'No mail is due.'));
        const target = { type: 'notification_mails', id: 'due' };
        return tx.commit(mails, { target, change: { count: mails.length }, events: 'none' });
      });
      return taken instanceof Fault ? [] : taken.value;
    },
    async settle(mails: readonly TakenMail[], result: MailOutcome): Promise<void> {
      const [first] = mails;
      if (!first) return;
      const act = parts.begin('mail.settle', { correlationId: first.correlation_id });
      const ids = mails.map(({ id }) => id);
      await db.write(act, async (tx) => {
        await settleMails(tx, ids, result);
        const target = { type: 'notification_mail', id: first.id };
        return tx.commit(undefined, { target, change: { count: ids.length, outcome: result.outcome }, events: 'none' });
      });
      settled.inc({ outcome: result.outcome }, ids.length);
    },
    async postpone(
      mails: readonly TakenMail[],
      to: { readonly inMs: number; readonly reason: string; readonly counts: boolean; readonly becomesDaily?: boolean },
    ): Promise<void> {
      const [first] = mails;
      if (!first) return;
      const now = clock.now();
      const dueAt = to.becomesDaily
        ? nextDailyAt(now, parts.policy('notifications.digest_hour_utc'))
        : new Date(now.getTime() + to.inMs);
      const ids = mails.map(({ id }) => id);
      const act = parts.begin('mail.postpone', { correlationId: first.correlation_id });
      await db.write(act, async (tx) => {
        await postponeMails(tx, ids, {
          ...{ dueAt, reason: to.reason, becomesDaily: to.becomesDaily === true },
          attempts: to.counts ? first.attempts : first.attempts - 1,
        });
        const target = { type: 'notification_mail', id: first.id };
        return tx.commit(undefined, { target, change: { count: ids.length }, result: 'failure', events: 'none' });
      });
    },
  };
}

/** How many mails wait, and for how long: an operator sees by this that no mail leaves. */
function showQueue(parts: QueueParts): void {
  const { metrics } = parts;
  const waiting = metrics.gauge('gpuaas_mails_waiting', 'Mails of notifications that wait to be sent.', []);
  const oldest = metrics.gauge(
    'gpuaas_mails_oldest_age_seconds',
    'Age of the oldest mail that is to be sent at once.',
    [],
  );
  metrics.onScrape(async () => {
    const found = await parts.db.read(systemViewer('email-worker', { correlationId: parts.ids.next() }), countWaiting);
    waiting.set(found.waiting);
    oldest.set(found.age);
  });
}

/**
 * Sends the mails that the relay wrote down. A mail is taken, sent and settled; when the process dies in between it is taken
 * again, and the repetition carries the same Message-ID. Beyond the limit of an address, what can wait joins the daily mail,
 * and what cannot is sent later.
 */
export function makeMailQueue(parts: QueueParts): Reconciler {
  const { take, settle, postpone } = makeRecords(parts);
  showQueue(parts);
  const viewer = () => systemViewer('email-worker', { correlationId: parts.ids.next() });

  /** Sends one letter for these mails, which are of one person. */
  async function send(mails: readonly TakenMail[], daily: boolean): Promise<void> {
    const [first] = mails;
    if (!first) return;
    const to = first.email;
    if (to === null) return settle(mails, { outcome: 'skipped', reason: 'no mail address is known for this person' });
    const recipient = parts.digestOf(to);
    const most = parts.policy('mail.max_per_recipient_per_hour');
    if ((await parts.db.read(viewer(), (tx) => countMailsOfHour(tx, recipient))) >= most) {
      const becomesDaily = !daily && mayChooseMail(specOf(first.kind));
      const reason = `this address got ${most} notifications within an hour`;
      return postpone(mails, { inMs: overLimitMs, reason, counts: false, becomesDaily });
    }
    const written = daily ? writeDigest(parts, mails) : writeNotification(parts, first);
    try {
      const answer = await parts.mail.send({ ...written, id: first.id, to, correlationId: first.correlation_id });
      return await settle(
        mails,
        'accepted' in answer
          ? { outcome: 'accepted', messageId: answer.accepted, recipient }
          : { outcome: 'refused', reason: answer.refused },
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, maxReasonLength) : 'the mail could not be sent';
      parts.log.warn({ err: error, mail_id: first.id, attempts: first.attempts }, 'a mail could not be sent');
      if (first.attempts >= parts.policy('mail.max_attempts')) return settle(mails, { outcome: 'given_up', reason });
      return postpone(mails, { inMs: retryInMs(first.attempts), reason, counts: true });
    }
  }

  return {
    name: 'mail-queue',
    async round(signal) {
      const each = await take(false);
      for (const mail of each) {
        if (signal.aborted) return 'idle';
        if (mail.obstacle !== null) await settle([mail], { outcome: 'skipped', reason: mail.obstacle });
        else await send([mail], false);
      }
      const daily = await take(true);
      const obstructed = daily.filter(({ obstacle }) => obstacle !== null);
      await settle(obstructed, { outcome: 'skipped', reason: obstructed[0]?.obstacle ?? '' });
      await send(
        daily.filter(({ obstacle }) => obstacle === null),
        true,
      );
      return each.length === mailBatch || daily.length > 0 ? 'more' : 'idle';
    },
  };
}
