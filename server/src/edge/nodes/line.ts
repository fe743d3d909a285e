import type { TLSSocket } from 'node:tls';
import { LineCall, lineProtocol, makeLineReader } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import { bodyTooLarge, parseKeepable } from './body.ts';
import type { NodeCalls } from './calls.ts';
import type { Peer } from './peer.ts';

/**
 * A connection after the upgrade: calls and answers, one per line. Each node has one connection and no HTTP parser,
 * which is most of the cost of a waiting node.
 */
export interface Line {
  /** Takes no more calls, and hangs up when those on their way have their answers. */
  retire(): void;
}

/** An agent waits a minute and a half for an answer; it reports meanwhile, so silence is noticed earlier. */
const holdMs = 75_000;
/** Reports come every few seconds. */
const silenceMs = 5 * 60_000;
/** A node has some tasks, a report and a poll; more open calls than this are not an agent. */
const mostUnderway = 64;
const isCall = Compile(LineCall);
const greeting = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${lineProtocol}\r\n\r\n`;

export function serveLine(socket: TLSSocket, parts: { readonly peer: Peer; readonly calls: NodeCalls }): Line {
  const { peer, calls } = parts;
  const address = socket.remoteAddress;
  let underway = 0;
  let isRetired = false;
  let leave: (() => void) | undefined;
  const onGone = (listener: () => void) => {
    leave = listener;
  };

  const take = (line: string): void => {
    if (isRetired || socket.destroyed) return;
    const said = parseKeepable(line);
    if (!isCall.Check(said) || underway >= mostUnderway) {
      socket.destroy();
      return;
    }
    const { id, method, path, headers = {}, body } = said as LineCall;
    underway += 1;
    calls
      .answer({
        ...{ method, path, headers, peer, address, holdMs, takesStreams: false, onGone },
        body: async (limitBytes) => (line.length > limitBytes ? bodyTooLarge(limitBytes) : body),
      })
      .then(({ status, text, retryAfterSeconds }) => {
        underway -= 1;
        const more = retryAfterSeconds === undefined ? '' : `,"retry_after":${retryAfterSeconds}`;
        write(`{"id":${id},"status":${status}${more}${text === undefined ? '' : `,"body":${text}`}}\n`);
        if (isRetired && underway === 0) socket.end();
      })
      // A call without an answer would wait for ever; after a broken line the node asks again.
      .catch(() => socket.destroy());
  };
  const write = (text: string): void => {
    if (socket.destroyed || socket.write(text)) return;
    // A node that does not read its answers is not read from.
    socket.pause();
    socket.once('drain', () => socket.resume());
  };
  const read = makeLineReader(take);

  socket.setTimeout(silenceMs, () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    if (!read(chunk)) socket.destroy();
  });
  socket.on('error', () => socket.destroy());
  socket.once('close', () => leave?.());
  write(greeting);
  return {
    retire() {
      isRetired = true;
      if (underway === 0) socket.end();
    },
  };
}
