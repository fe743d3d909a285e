import { identityRenew } from '@gpuaas/contract/internal';
import type { Clock } from '../../kernel/clock.ts';
import { type Reconciling, startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { InternalClient } from './client.ts';
import type { ProcessIdentity } from './process-identity.ts';

const lookEveryMs = 10 * 60_000;
const answerWithinMs = 30_000;

/** A process asks for a new certificate when a third of the life of its present one is left, with a new key. */
export function startRenewal(parts: {
  readonly identity: ProcessIdentity;
  readonly api: Pick<InternalClient, 'ask'>;
  /** A new key, and a certificate request for it. */
  readonly makeKey: () => Promise<{ readonly pem: string; readonly privateKey: string }>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}): Reconciling {
  const { identity, api, clock, log } = parts;
  const left = parts.metrics.gauge(
    'gpuaas_process_identity_left_seconds',
    'How long the certificate of this process is still valid.',
    [],
  );
  parts.metrics.onScrape(async () => {
    left.set((identity.current().notAfter.getTime() - clock.now().getTime()) / 1_000);
  });
  return startReconciler(
    {
      name: 'process-identity',
      async round(signal) {
        const { notBefore, notAfter } = identity.current();
        const lifeMs = notAfter.getTime() - notBefore.getTime();
        if (notAfter.getTime() - clock.now().getTime() > lifeMs / 3) return 'idle';
        const { pem, privateKey } = await parts.makeKey();
        const answer = await api.ask(identityRenew, { csr: pem }, { withinMs: answerWithinMs, signal });
        if (!answer.ok) throw new Error(`the api refused to renew the identity: ${answer.code} ${answer.message}`);
        const { chain, roots } = answer.value;
        const where = await identity.replace({ key: privateKey, chain, roots });
        log.info({ until: answer.value.expires_at, where }, 'the identity of this process was renewed');
        return 'idle';
      },
    },
    { clock, log, everyMs: lookEveryMs },
  );
}
