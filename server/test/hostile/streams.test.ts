import { type ClientRequest, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { heldBytes } from './memory.ts';

/** Streams that were opened and closed leave nothing behind. `GPUAAS_STREAMS` asks for more of them. */
const streams = Number(process.env['GPUAAS_STREAMS'] ?? 300);
/** What a closed stream may leave, once the first ones have filled what is kept on purpose. */
const mostBytesKept = 4_096;
/** Opened first, so that what is kept on purpose is there before anything is measured. */
const warmUp = 50;
/** The policy of seats: as many as are open at most, so that one that is not given back is missed. */
const seats = streams + warmUp;
/** A few connections at a time; one after the other takes long. */
const atOnce = 25;

let world: World;
let home: Tenant;
let address: AddressInfo;

beforeAll(async () => {
  const limits = { 'streams.max_per_person': seats, 'streams.max_per_address': 10_000 };
  world = await openWorld({ policies: limits });
  home = await world.found('home');
  address = await world.listen();
});
afterAll(() => world.close());

/** Resolves when the stream has said that it is ready. */
const open = (): Promise<ClientRequest> =>
  new Promise((resolve, reject) => {
    const request = get(
      {
        ...{ host: address.address, port: address.port, path: '/api/v1/events/stream', agent: false },
        headers: { authorization: `Bearer ${home.token}`, 'x-project-id': home.projectId },
      },
      (response) => {
        response.on('error', () => undefined);
        response.once('data', (chunk: Buffer) =>
          String(chunk).includes('event: ready') ? resolve(request) : reject(new Error(String(chunk))),
        );
      },
    );
    request.once('error', reject);
  });

async function openMany(count: number, how: () => Promise<ClientRequest> = open): Promise<ClientRequest[]> {
  const opened: ClientRequest[] = [];
  while (opened.length < count) {
    const some = Math.min(atOnce, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: some }, how))));
  }
  return opened;
}
async function closeAll(opened: readonly ClientRequest[]): Promise<void> {
  const closed = opened.map((request) => new Promise((resolve) => request.once('close', resolve)));
  for (const request of opened) request.destroy();
  await Promise.all(closed);
}

describe('event streams', () => {
  it(`give their memory back when they are closed, ${streams} of them`, async () => {
    await closeAll(await openMany(warmUp));
    const before = await heldBytes();
    await closeAll(await openMany(streams));
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
