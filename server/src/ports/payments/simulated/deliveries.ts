import type { Clock } from '../../../kernel/clock.ts';
import { type Reconciling, startReconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { secondMs } from '../../../kernel/units.ts';

/** Webhooks that wait, as the simulated provider keeps them. */
export interface Deliveries {
  takeDue(limit: number): Promise<readonly { readonly position: string; readonly body: string }[]>;
  delivered(position: string): Promise<void>;
}

const atOnce = 20;
const deadlineMs = 5 * secondMs;
/** News that were made late, or made in another process, are looked for this often. */
const everyMs = secondMs;

/** Sends webhooks, signed, until they are taken. What is not taken is due again a little later. */
export function startDeliveries(parts: {
  readonly deliveries: Deliveries;
  readonly sign: (body: Buffer) => string;
  readonly webhookUrl: string;
  readonly clock: Clock;
  readonly log: Log;
}): Reconciling {
  const { deliveries, sign, webhookUrl, clock, log } = parts;
  const send = async (body: Buffer): Promise<boolean> => {
    const answer = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': sign(body) },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(deadlineMs),
    });
    await answer.body?.cancel();
    return answer.ok;
  };
  return startReconciler(
    {
      name: 'simulated-webhooks',
      async round(signal) {
        const due = await deliveries.takeDue(atOnce);
        for (const { position, body } of due) {
          if (signal.aborted) break;
          const isTaken = await send(Buffer.from(body)).catch(() => false);
          if (isTaken) await deliveries.delivered(position);
          else log.warn({ position }, 'a simulated webhook was not taken; it is sent again');
        }
        return due.length === atOnce ? 'more' : 'idle';
      },
    },
    { clock, log, everyMs },
  );
}
