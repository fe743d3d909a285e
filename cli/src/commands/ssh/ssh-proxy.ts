import { once } from 'node:events';
import type { Run } from '../../command.ts';
import { exitCodes, Failure } from '../../failure.ts';
import { resolveAllocation } from '../../resolve.ts';
import { openStream } from '../../ssh/stream.ts';

/** Carries standard input and output to the sshd of an allocation, for the ProxyCommand of ssh. */
export const sshProxy: Run = async (session) => {
  const { stdin } = session.around;
  const stdout = session.around.stdout as unknown as NodeJS.WritableStream;
  const allocationId = await resolveAllocation(session);
  const stream = await openStream(session, allocationId, { kind: 'ssh' }, async (bytes) => {
    if (!stdout.write(bytes)) await once(stdout, 'drain');
  });
  const feeding = (async () => {
    for await (const chunk of stdin) await stream.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    stream.end();
  })();
  feeding.catch(() => stream.end());
  // ssh closes our output when it has had enough.
  stdout.on?.('error', () => stream.end());
  const end = await stream.ended;
  (stdin as NodeJS.ReadableStream & { destroy?(): void }).destroy?.();
  if (end.exit !== undefined || end.code === 1000) return exitCodes.ok;
  throw new Failure(exitCodes.failed, end.sentence);
};
