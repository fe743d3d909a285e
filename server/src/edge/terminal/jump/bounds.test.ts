import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { makeBounds } from './bounds.ts';

const mib = 1024 * 1024;
function open() {
  const socket = { bytesWritten: 0, writableLength: 0 };
  let cuts = 0;
  const bounds = makeBounds(socket, () => {
    cuts += 1;
  });
  const channel = (packetSize = 32_768) =>
    bounds.watch(
      Object.assign(new EventEmitter(), { readableLength: 0, outgoing: { packetSize } }) as never,
    ) as unknown as {
      readableLength: number;
      readonly outgoing: { readonly packetSize: number };
      emit(event: 'close'): void;
    };
  return { socket, bounds, channel, cuts: () => cuts };
}

describe('a connection to the jump host', () => {
  it('is cut when its client does not read', () => {
    const { socket, bounds, cuts } = open();
    Object.assign(socket, { bytesWritten: 4 * mib, writableLength: 4 * mib });
    bounds.written(4 * mib);
    expect(cuts()).toBe(0);
    Object.assign(socket, { bytesWritten: 9 * mib, writableLength: 9 * mib });
    bounds.written(5 * mib);
    expect(cuts()).toBe(1);
  });

  it('is cut when it exchanges keys without end, and bytes wait for it', () => {
    const { bounds, cuts } = open();
    bounds.written(7 * mib);
    expect(cuts()).toBe(0);
    bounds.written(2 * mib);
    expect(cuts()).toBe(1);
  });

  it('is cut when its client sends more than was allowed, and not for a channel that is closed', () => {
    const { bounds, channel, cuts } = open();
    const closed = channel();
    closed.readableLength = 9 * mib;
    closed.emit('close');
    bounds.look();
    expect(cuts()).toBe(0);
    channel().readableLength = 9 * mib;
    bounds.look();
    expect(cuts()).toBe(1);
  });

  it('is cut when its client takes packets of nothing, and the packets get a size before', () => {
    const { channel, cuts } = open();
    expect(channel(0).outgoing.packetSize).toBe(1_024);
    expect(cuts()).toBe(1);
  });
});
