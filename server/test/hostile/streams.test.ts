import { type ClientRequest, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { heldBytes } from './memory.ts';

/** Streams that were opened and closed leave nothing behind. `GPUAAS_STREAMS` asks for more of them. */
const streams = Number(process.env['GPUAAS_STREAMS'] ?? 300);
/** What a closed stream may leave, once the first ones have filled what is kept on purpose. */
const mostBytesKept = 4_096;

let world: World;
let home: Tenant;
let address: AddressInfo;

beforeAll(async () => {
  const seats = { 'streams.max_per_person': 10_000, 'streams.max_per_address': 10_000 };
  world = await openWorld({ policies: seats });
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

async function openAndClose(count: number): Promise<void> {
  const opened: ClientRequest[] = [];
  for (let n = 0; n < count; n += 1) opened.push(await open());
  const closed = opened.map((request) => new Promise((resolve) => request.once('close', resolve)));
  for (const request of opened) request.destroy();
  await Promise.all(closed);
}

describe('event streams', () => {
  it(`give their memory back when they are closed, ${streams} of them`, async () => {
    await openAndClose(50);
    const before = await heldBytes();
    await openAndClose(streams);
    // The server hears of a closed connection a moment later.
    await expect
      .poll(async () => ((await heldBytes()) - before) / streams, { timeout: 60_000, interval: 200 })
      .toBeLessThan(mostBytesKept);
  }, 180_000);
});
