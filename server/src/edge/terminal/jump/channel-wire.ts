import { type TerminalHello, terminalLimits } from '@gpuaas/contract/terminal';
import type { ServerChannel } from 'ssh2';
import type { Clock } from '../../../kernel/clock.ts';
import { later, nowMs } from '../later.ts';
import { mostWaitingBytes, type PauseReason, type Wire, type WireListener } from '../wire.ts';

/** A channel that an SSH client asked for, and that nobody has answered yet. */
export interface AskedChannel {
  accept(): ServerChannel;
  /** The words are shown to the person. */
  reject(words: string): void;
  /** Bytes were given to the channel. */
  written(count: number): void;
}

const hello: TerminalHello = { type: 'hello', from: 0, columns: 80, rows: 24 };
const closedCode = 1000;
const flushWithinMs = 5_000;

/**
 * One channel of an SSH client as a wire: bytes are bytes, and what a client of ours would say in text is said for it. The channel is
 * confirmed when the machine is there, so that a client whose machine does not answer is refused with the reason.
 */
export function makeChannelWire(
  asked: AskedChannel,
  parts: {
    readonly clock: Clock;
    readonly listener: WireListener;
    readonly onPaused: (seconds: number) => void;
  },
): Wire {
  const pauses = new Set<PauseReason>();
  const closed = Promise.withResolvers<number>();
  let channel: ServerChannel | undefined;
  let [isOver, pausedAtMs, waitingBytes, read, acknowledged] = [false, 0, 0, 0, 0];

  const finish = (code: number): void => {
    isOver = true;
    closed.resolve(code);
  };
  const say = (frame: object): void => parts.listener.onText(JSON.stringify(frame));
  const open = (from: number): void => {
    if (channel || isOver) return;
    [read, acknowledged] = [from, from];
    channel = asked.accept();
    channel.on('data', (bytes: Buffer) => {
      if (!isOver) parts.listener.onBytes(bytes);
    });
    channel.once('end', () => {
      if (!isOver) say({ type: 'end' });
    });
    channel.on('error', () => channel?.destroy());
    channel.once('close', () => finish(closedCode));
    if (pauses.size > 0) channel.pause();
  };
  const take = (count: number): void => {
    waitingBytes -= count;
    read += count;
    if (isOver || read - acknowledged < terminalLimits.ackBytes) return;
    acknowledged = read;
    say({ type: 'ack', offset: read });
  };
  const close = (code: number, reason = ''): void => {
    if (isOver) return;
    if (channel) leave(channel, code, parts.clock);
    else asked.reject(reason);
    finish(code);
  };
  // There is no hello in SSH. It is heard once the owner has this wire.
  queueMicrotask(() => say(hello));

  return {
    get waitingBytes() {
      return waitingBytes;
    },
    get isPaused() {
      return pauses.size > 0;
    },
    get isOpen() {
      return !isOver;
    },
    sendBytes(bytes, sent) {
      if (!channel || isOver) return;
      waitingBytes += bytes.length;
      channel.write(bytes, () => {
        take(bytes.length);
        sent?.();
      });
      asked.written(bytes.length);
      if (waitingBytes > mostWaitingBytes) channel.close();
    },
    sendText(frame, sent) {
      const said = typeof frame === 'string' ? (JSON.parse(frame) as object) : frame;
      const { type, from } = said as { readonly type?: string; readonly from?: number };
      if (type === 'ready') open(from ?? 0);
      sent?.();
    },
    pause(why) {
      if (isOver) return;
      if (pauses.size === 0) pausedAtMs = nowMs(parts.clock);
      pauses.add(why);
      channel?.pause();
    },
    resume(why) {
      if (!pauses.delete(why) || pauses.size > 0) return;
      parts.onPaused((nowMs(parts.clock) - pausedAtMs) / 1_000);
      channel?.resume();
    },
    close,
    terminate: () => close(closedCode),
    closed: closed.promise,
    // The SSH connection has pings of its own.
    probe: () => true,
  };
}

/** After an orderly end the client gets the rest, if it reads. What it still sends is read and dropped. */
function leave(channel: ServerChannel, code: number, clock: Clock): void {
  channel.resume();
  if (code !== closedCode) {
    channel.close();
    return;
  }
  const callOff = later(clock, flushWithinMs, () => channel.close());
  channel.once('close', callOff);
  channel.end(() => channel.close());
}
