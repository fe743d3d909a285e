import type { Clock } from '../../kernel/clock.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Certificates } from '../../ports/certificates/port.ts';

/** What TLS needs of us. */
export interface ServerContext {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const certificateMs = 30 * 24 * 3_600_000;

/** Our own certificate towards nodes. It is renewed when a third of its time is left. */
export async function openServerCertificate(parts: {
  readonly certificates: Certificates;
  /** What nodes call us. */
  readonly names: readonly string[];
  readonly clock: Clock;
}) {
  const fresh = async () => {
    const [{ roots }, own] = await Promise.all([
      parts.certificates.authority(),
      parts.certificates.certifyServer({ names: parts.names, ttlMs: certificateMs }),
    ]);
    const context: ServerContext = { ca: roots, cert: own.chain, key: own.privateKey };
    return { context, renewAtMs: own.notAfter.getTime() - certificateMs / 3 };
  };
  let held = await fresh();
  return {
    context: held.context,
    renewing: (onRenewed: (context: ServerContext) => void): Reconciler => ({
      name: 'node-listener-certificate',
      async round() {
        if (parts.clock.now().getTime() < held.renewAtMs) return 'idle';
        held = await fresh();
        onRenewed(held.context);
        return 'idle';
      },
    }),
  };
}
