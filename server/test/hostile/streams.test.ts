import { type ClientRequest, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeTestClock } from '../../src/kernel/clock.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { heldBytes } from './memory.ts';

/**
 * Streams that were open for thirty seconds and closed leave nothing behind. The seconds are those of the server's clock,
 * in which each stream is checked and heard of six times. `GPUAAS_STREAMS` asks for more of them: 2,000 in a whole proof.
 */
const streams = Number(process.env['GPUAAS_STREAMS'] ?? 300);
const lifeMs = 30_000;
/** How often a quiet stream is checked and says that it is still there. */
const stepMs = 5_000;
/** What a closed stream may leave, once the first ones have filled what is kept on purpose. */
const mostBytesKept = 4_096;
/** Opened first, so that what is kept on purpose is there before anything is measured. */
const warmUp = 50;
/** The policy of seats: as many as are open at most, so that one that is not given back is missed. */
const seats = streams + warmUp;
/** A few connections at a time; one after the other takes long. */
const atOnce = 25;

const clock = makeTestClock(new Date());
let world: World;
let home: Tenant;
let address: AddressInfo;

beforeAll(async () => {
  const limits = { 'streams.max_per_person': seats, 'streams.max_per_address': 10_000 };
  world = await openWorld({ clock, policies: limits });
  home = await world.found('home');
  address = await world.listen();
});
afterAll(() => world.close());

interface Stream {
  readonly request: ClientRequest;
  /** How often it has said that it is still there. */
  heard: number;
}

/** Resolves when the stream has said that it is ready. */
const open = (): Promise<Stream> =>
  new Promise((resolve, reject) => {
    const request = get(
      {
        ...{ host: address.address, port: address.port, path: '/api/v1/events/stream', agent: false },
        headers: { authorization: `Bearer ${home.token}`, 'x-project-id': home.projectId },
      },
      (response) => {
        response.on('error', () => undefined);
        const stream: Stream = { request, heard: 0 };
        response.once('data', (chunk: Buffer) =>
          String(chunk).includes('event: ready') ? resolve(stream) : reject(new Error(String(chunk))),
        );
        response.on('data', (chunk: Buffer) => {
          stream.heard += String(chunk).split(': still here').length - 1;
        });
      },
    );
    request.once('error', reject);
  });

async function openMany(count: number, how: () => Promise<Stream> = open): Promise<Stream[]> {
  const opened: Stream[] = [];
  while (opened.length < count) {
    const some = Math.min(atOnce, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: some }, how))));
  }
  return opened;
}
async function closeAll(opened: readonly Stream[]): Promise<void> {
  const closed = opened.map(({ request }) => new Promise((resolve) => request.once('close', resolve)));
  for (const { request } of opened) request.destroy();
  await Promise.all(closed);
}

/** They live for half a minute: the clock goes on when each has said that it is still there. */
async function live(opened: readonly Stream[]): Promise<void> {
  for (let atMs = stepMs; atMs <= lifeMs; atMs += stepMs) {
    await clock.advance(stepMs);
    const late = () => opened.filter(({ heard }) => heard < atMs / stepMs).length;
    await expect.poll(late, { timeout: 60_000, interval: 20 }).toBe(0);
  }
}

describe('event streams', () => {
  it(`give their memory back when they are closed after thirty seconds, ${streams} of them`, async () => {
    const first = await openMany(warmUp);
    await live(first);
    await closeAll(first);
    const before = await heldBytes();
    const opened = await openMany(streams);
    await live(opened);
    await closeAll(opened.splice(0));
    // The server hears of a closed connection a moment later.
    await expect
      .poll(async () => ((await heldBytes()) - before) / streams, { timeout: 60_000, interval: 200 })
      .toBeLessThan(mostBytesKept);
  }, 180_000);

  it('have given every seat back: as many as there are can be opened again, and not one more', async () => {
    // The server hears of a closed connection a moment later: until then a seat is taken.
    const patiently = () => vi.waitFor(open, { timeout: 60_000, interval: 50 });
    const all = await openMany(seats, patiently);
    await expect(open()).rejects.toThrow('too_many_streams');
    await closeAll(all);
  }, 180_000);
});
