import { webhookDisabled } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { hourMs, secondMs } from '../../kernel/units.ts';
import type { Posted, Webhooks } from '../../ports/webhooks/port.ts';
import {
  forgetDeliveries,
  lockWebhook,
  noteFailing,
  noteTaken,
  noteTry,
  readWaiting,
  type TakenDelivery,
  takeDeliveries,
  turnOff,
} from './deliveries-store.ts';
import {
  firstRetryMs,
  forgetBatch,
  goneStatus,
  longestRetryMs,
  maxReasonLength,
  postsAtOnce,
  retryGrowth,
  takenBelow,
  takenFrom,
  triesKept,
} from './facts.ts';
import { secretPlace } from './secrets-store.ts';
import { signedHeaders } from './sign.ts';

export const webhookProcess = 'webhook-worker';
/** Wakes the worker after a commit that has something to post. */
export const deliveriesChannel = 'gpuaas_webhooks';

/** The pause before the next try. */
export const retryInMs = (attempts: number): number =>
  Math.min(longestRetryMs, firstRetryMs * retryGrowth ** Math.max(0, attempts - 1));

export interface PostingParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly webhooks: Webhooks;
  readonly seal: Seal;
  readonly policy: (
    key:
      | 'webhooks.max_attempts'
      | 'webhooks.disable_after_hours'
      | 'webhooks.timeout_seconds'
      | 'webhooks.retention_days',
  ) => number;
}

const isTaken = (posted: Posted): boolean =>
  'status' in posted && posted.status >= takenFrom && posted.status < takenBelow;
const reasonOf = (posted: Posted): string | null => {
  if (isTaken(posted)) return null;
  if ('status' in posted) return `The receiver answered ${posted.status}.`;
  return 'refused' in posted ? posted.refused : posted.failed;
};

/** Why the webhook is turned off after this try, if it is. */
function whyOff(parts: PostingParts, delivery: TakenDelivery, posted: Posted): string | undefined {
  if ('status' in posted && posted.status === goneStatus) return 'The receiver answered 410: it is gone.';
  const hours = parts.policy('webhooks.disable_after_hours');
  const since = delivery.failing_since;
  if (isTaken(posted) || since === null || parts.clock.now().getTime() - since.getTime() < hours * hourMs)
    return undefined;
  return `The receiver has taken nothing for ${hours} hours.`;
}

/** Notes a try in one act: the delivery, whether its webhook works, and what follows when it does not. */
async function note(parts: PostingParts, delivery: TakenDelivery, posted: Posted, tookMs: number): Promise<string> {
  const now = parts.clock.now();
  const isLast = delivery.attempts >= parts.policy('webhooks.max_attempts');
  const outcome = isTaken(posted) ? 'delivered' : isLast ? 'failed' : 'waiting';
  const off = whyOff(parts, delivery, posted);
  const act = parts.begin('webhook.post', {
    correlationId: parts.ids.next(),
    organizationId: delivery.organization_id,
  });
  await parts.db.write(act, async (tx) => {
    await lockWebhook(tx, delivery);
    await noteTry(
      tx,
      delivery.id,
      {
        ...{ outcome, at: now, tookMs, reason: reasonOf(posted)?.slice(0, maxReasonLength) ?? null },
        status: 'status' in posted ? posted.status : null,
        dueAt: new Date(now.getTime() + retryInMs(delivery.attempts)),
      },
      triesKept,
    );
    await (isTaken(posted) ? noteTaken : noteFailing)(tx, delivery);
    const { organization_id, webhook_id } = delivery;
    const isOff = off !== undefined && (await turnOff(tx, delivery, off));
    return tx.commit(undefined, {
      target: { type: 'webhook', id: webhook_id },
      change: { delivery_id: delivery.id, outcome },
      events: isOff ? [webhookDisabled.of(webhook_id, { organization_id, webhook_id, reason: off })] : 'none',
    });
  });
  return outcome;
}

/** Signs and posts a delivery. What cannot be signed is a failed try like others: it is noted, and given up at last. */
async function send(parts: PostingParts, delivery: TakenDelivery): Promise<Posted> {
  if (delivery.is_off) return { failed: 'The webhook is turned off.' };
  const { url, body, event_id: id } = delivery;
  let headers: Readonly<Record<string, string>>;
  try {
    const secrets = delivery.sealed.map((sealed, at) =>
      parts.seal.open(sealed, secretPlace(delivery.secret_ids[at] ?? '')),
    );
    headers = signedHeaders(secrets, { id, at: parts.clock.now(), body });
  } catch (error) {
    parts.log.error({ err: error, webhook_id: delivery.webhook_id }, 'a webhook could not be signed');
    return { failed: 'The event could not be signed, because the secret of the webhook could not be opened.' };
  }
  return parts.webhooks.post({ url, body, headers, timeoutMs: parts.policy('webhooks.timeout_seconds') * secondMs });
}

function watchWaiting({ db, ids, metrics }: PostingParts): void {
  const late = metrics.gauge('gpuaas_webhooks_late_seconds', 'How long the oldest due delivery has been waiting.', []);
  const waiting = metrics.gauge('gpuaas_webhooks_waiting', 'Deliveries that are due.', []);
  const failing = metrics.gauge('gpuaas_webhooks_failing', 'Webhooks whose receiver did not take the last event.', []);
  metrics.onScrape(async () => {
    const found = await db.read(systemViewer(webhookProcess, { correlationId: ids.next() }), readWaiting);
    late.set(found.late);
    waiting.set(found.waiting);
    failing.set(found.failing);
  });
}

export interface Posting extends Reconciler {
  /** Is called when a post has ended: its slot is free for the next round. */
  onFree(wake: () => void): void;
  inFlight(): number;
  /** Waits for the posts in flight. Each ends within the time that a receiver may take. */
  close(): Promise<void>;
}

/**
 * Posts what is due. A round fills the free slots and does not wait for the posts, so a slow receiver holds its own slots and
 * nothing else; the limits of webhook and organization leave slots for other tenants.
 */
export function makePosting(parts: PostingParts): Posting {
  const { db, clock } = parts;
  const tries = parts.metrics.counter(
    'gpuaas_webhook_tries_total',
    'Tries to post an event to a webhook, by outcome.',
    ['outcome'],
  );
  watchWaiting(parts);
  const posts = new Map<TakenDelivery, Promise<void>>();
  let wake = () => {};

  async function post(delivery: TakenDelivery): Promise<void> {
    try {
      const began = clock.now().getTime();
      const posted = await send(parts, delivery);
      tries.inc({ outcome: await note(parts, delivery, posted, clock.now().getTime() - began) });
    } catch (error) {
      parts.log.error({ err: error, webhook_id: delivery.webhook_id }, 'a webhook could not be posted');
    } finally {
      posts.delete(delivery);
      wake();
    }
  }

  return {
    name: 'webhook-posting',
    async round(signal) {
      const free = postsAtOnce - posts.size;
      if (free <= 0 || signal.aborted) return 'idle';
      const act = parts.begin('webhook.take', { correlationId: parts.ids.next() });
      const taken = await db.write(act, async (tx) => {
        const due = await takeDeliveries(tx, [...posts.keys()], free);
        if (due.length === 0) return tx.abandon(new Fault('event_not_found', 'Nothing is due.'));
        const target = { type: 'webhook_deliveries', id: 'due' };
        return tx.commit(due, { target, change: { count: due.length }, events: 'none' });
      });
      if (taken instanceof Fault || signal.aborted) return 'idle';
      for (const delivery of taken.value) posts.set(delivery, post(delivery));
      return 'idle';
    },
    onFree: (listener) => {
      wake = listener;
    },
    inFlight: () => posts.size,
    close: async () => {
      await Promise.all(posts.values());
    },
  };
}

/** Removes old deliveries. */
export const makeDeliveryExpiry = (parts: Pick<PostingParts, 'db' | 'begin' | 'ids' | 'policy'>): Reconciler => ({
  name: 'webhook-delivery-expiry',
  async round() {
    const act = parts.begin('webhook.forget', { correlationId: parts.ids.next() });
    const removed = await parts.db.write(act, async (tx) => {
      const count = await forgetDeliveries(tx, parts.policy('webhooks.retention_days'), forgetBatch);
      if (count === 0) return tx.abandon(new Fault('event_not_found', 'Nothing is old enough.'));
      const target = { type: 'webhook_deliveries', id: 'old' };
      return tx.commit(count, { target, change: { count }, events: 'none' });
    });
    return !(removed instanceof Fault) && removed.value === forgetBatch ? 'more' : 'idle';
  },
});
