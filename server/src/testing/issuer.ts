import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Order, Report } from '../ports/identity-provider/conformance-issuer.ts';

/** An OIDC issuer in a process of its own, which shares nothing with us but the protocol. */
export interface IssuerProcess {
  readonly url: string;
  readonly native: string;
  readonly service: { readonly id: string; readonly secret: string };
  order(order: Order): Promise<void>;
  close(): Promise<void>;
}

const startWithinMs = 20_000;

export async function startIssuerProcess(now: Date): Promise<IssuerProcess> {
  const program = fileURLToPath(import.meta.resolve('../ports/identity-provider/conformance-issuer.ts'));
  const child = fork(program, [String(now.getTime())], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4_000);
  });
  const exited = once(child, 'exit');
  const hear = async (): Promise<Report> => {
    const heard = await Promise.race([
      once(child, 'message', { signal: AbortSignal.timeout(startWithinMs) }).then(([report]) => report as Report),
      exited.then(() => undefined),
    ]);
    if (!heard) throw new Error(`the issuer ended: ${said}`);
    return heard;
  };
  const { url } = await hear();
  if (!url) throw new Error('the issuer did not say where it is');
  return {
    url,
    native: 'terminal',
    service: { id: 'robot', secret: 'a-secret-of-the-other-issuer' },
    async order(order) {
      const heard = hear();
      child.send(order);
      await heard;
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      await exited;
    },
  };
}
