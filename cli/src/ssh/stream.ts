import { setTimeout as sleep } from 'node:timers/promises';
import { connectTerminal, type TerminalEnd, type TerminalLine } from '@gpuaas/sdk';
import type { Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';

/** Bytes to and from an allocation, through the gateway. */
export interface Stream {
  /** Resolves when there is room for more. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the connection. */
  end(): void;
  readonly ended: Promise<TerminalEnd>;
}
type StreamRequest = { readonly kind: 'ssh' } | { readonly kind: 'forward'; readonly port: number };

const size = { columns: 80, rows: 24 } as const;
const mostWaitingBytes = 1_048_576;
const lookAgainMs = 5;

/** Resolves when bytes can flow. */
export async function openStream(
  session: Session,
  allocationId: string,
  request: StreamRequest,
  onOutput: (bytes: Uint8Array) => void | Promise<void>,
): Promise<Stream> {
  const token = await (await session.api()).terminals.tokenMint({
    ...{ allocation_id: allocationId, mode: 'open', ...size },
    ...request,
  });
  const ended = Promise.withResolvers<TerminalEnd>();
  const ready = Promise.withResolvers<void>();
  let isOver = false;
  const line: TerminalLine = connectTerminal(
    { ...token, ...size, ...(session.around.parts?.WebSocket && { WebSocket: session.around.parts.WebSocket }) },
    {
      onReady: () => ready.resolve(),
      onOutput,
      onEnd(end) {
        isOver = true;
        ended.resolve(end);
        ready.reject(new Failure(exitCodes.failed, end.sentence));
      },
    },
  );
  await ready.promise;
  return {
    async write(bytes) {
      line.write(bytes);
      // WebSocket has no event for room.
      while (line.waitingBytes > mostWaitingBytes && !isOver) await sleep(lookAgainMs);
    },
    end() {
      line.end();
      line.close();
    },
    ended: ended.promise,
  };
}
