import type { Duplex } from 'node:stream';
import { LineAnswer, makeLineReader } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import type { Answer, Call } from './client.ts';

/** Many calls at once on one connection, each answered when the control plane is ready to. */
export interface Line {
  /** Rejects when the line breaks, or with the signal's reason. */
  call(order: Pick<Call, 'method' | 'path' | 'body' | 'headers'>, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

const isAnswer = Compile(LineAnswer);
/**
 * A line that is silent for this long is dead. The time is longer than the timeout of a call: when all nodes reconnect
 * at once the control plane is slow, and repeats its work for a node that hangs up.
 */
const silenceMs = 20_000;

export function holdLine(socket: Duplex, onEnd: () => void, deadAfterMs = silenceMs): Line {
  const asked = new Map<number, PromiseWithResolvers<Answer>>();
  let last = 0;
  let heardAtMs = performance.now();

  const take = (line: string): void => {
    const said: unknown = JSON.parse(line);
    if (!isAnswer.Check(said)) throw new Error('the control plane said something that is no answer');
    const { id, status, body, retry_after: retryAfter } = said as LineAnswer;
    heardAtMs = performance.now();
    // Nobody waits any more for the answer to a call that was given up.
    asked.get(id)?.resolve({ status, body, retryAfterMs: retryAfter === undefined ? undefined : retryAfter * 1_000 });
    asked.delete(id);
  };
  const read = makeLineReader(take);
  let trouble = new Error('the line to the control plane broke');
  const end = () => {
    onEnd();
    for (const { reject } of asked.values()) reject(trouble);
    asked.clear();
  };
  socket.on('data', (chunk: Buffer) => {
    try {
      if (!read(chunk)) throw new Error('the answer is too long');
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
  socket.once('error', (error) => {
    trouble = error;
  });
  socket.once('end', () => socket.destroy());
  socket.once('close', end);

  return {
    async call({ method, path, body, headers }, signal) {
      signal.throwIfAborted();
      if (socket.destroyed) throw trouble;
      last += 1;
      const id = last;
      const answer = Promise.withResolvers<Answer>();
      asked.set(id, answer);
      const giveUp = () => {
        asked.delete(id);
        answer.reject(signal.reason);
        if (performance.now() - heardAtMs >= deadAfterMs) socket.destroy();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      socket.write(`${JSON.stringify({ id, method, path, headers, body })}\n`);
      try {
        return await answer.promise;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
    close: () => socket.destroy(),
  };
}
