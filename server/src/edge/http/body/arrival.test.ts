import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { policies } from '@gpuaas/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { openBareMount } from '../../../../test/hostile/bare-mount.ts';
import type { Mounted } from '../../../kernel/act.ts';
import { makeTestClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { MountParts } from '../mount.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const mount of opened.splice(0)) await mount.close();
});

const countBytes: Mounted['handle'] = async (_, input) => {
  let size = 0;
  for await (const chunk of input.body as unknown as AsyncIterable<Uint8Array>) size += chunk.length;
  return new Fault('agent_release_invalid', `${size} bytes`);
};

/** A request whose body does not end by itself, as raw text on a connection. */
async function openSlow(path: string, type: string, admitted = 1) {
  const clock = makeTestClock();
  let reached = 0;
  const mount = await openBareMount({
    clock,
    policy: ((key: string) =>
      key !== 'auth.step_up_enabled' && policies.find((policy) => policy.key === key)?.default) as MountParts['policy'],
    handle: { agent_release_add: countBytes },
    rateLimit: async () => {
      reached += 1;
      return { allowed: true, limit: 100, remaining: 99, resetSeconds: 60, firstRefusal: false };
    },
  });
  await mount.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = mount.app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  opened.push({
    close: async () => {
      socket.destroy();
      await mount.close();
    },
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\nidempotency-key: k\r\ncontent-type: ${type}\r\ncontent-length: 9\r\n\r\n{`,
  );
  await expect.poll(() => reached, { timeout: 30_000 }).toBe(admitted);
  return { clock, socket };
}

describe('a request that arrives too slowly', () => {
  it('is answered 408 after half a minute', async () => {
    const { clock, socket } = await openSlow('/api/v1/organizations', 'application/json');
    await clock.advance(30_000);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
  });

  it('is dropped when it was refused and its body still does not come', async () => {
    const { clock, socket } = await openSlow('/api/v1/no-such-path', 'application/json', 0);
    const answered = text(socket);
    await expect.poll(() => socket.bytesRead, { timeout: 30_000 }).toBeGreaterThan(0);
    await clock.advance(2_000);
    expect(await answered).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('goes on when it was refused within the process, where there is no connection', async () => {
    const clock = makeTestClock();
    const mount = await openBareMount({ clock });
    opened.push(mount);
    const sent = { method: 'POST', url: '/api/v1/no-such-path', payload: { a: 1 } } as const;
    expect((await mount.app.inject(sent)).statusCode).toBe(404);
    await clock.advance(2_000);
    expect((await mount.app.inject(sent)).statusCode).toBe(404);
  });

  it('has longer when it brings a file', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const path = `/api/v1/admin/agent-releases?version=1&digest=${digest}&size_bytes=9`;
    const { clock, socket } = await openSlow(path, 'application/octet-stream');
    await clock.advance(300_000);
    socket.end('12345678');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 422 [\s\S]*"message":"9 bytes"/);
  });
});
