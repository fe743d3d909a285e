import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { type AppRig, label, openAppRig } from './testing.ts';

/** A program behind a TCP connection of the system, as in a container: it keeps the bytes that it was sent. */
let rig: AppRig;
let program: Server;
let heard: string;
beforeEach(async () => {
  heard = '';
  program = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      if (heard.endsWith('the end')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  });
  await once(program.listen(0, '127.0.0.1'), 'listening');
  const { port } = program.address() as AddressInfo;
  rig = await openAppRig({}, async () => ({
    ...{ allocationId: systemIds.next(), workloadId: systemIds.next(), stop: async () => undefined },
    connectContainer: async () => connect(port, '127.0.0.1'),
    close: async () => undefined,
  }));
});
afterEach(async () => {
  await rig.close();
  program.close();
});

describe('the bytes of a request with a body', () => {
  it.each([
    ['a short one', 'the end'],
    ['one of some frames', `${'x'.repeat(200_000)}the end`],
  ])('reach the container as they were written: %s', async (_, body) => {
    for (const path of ['/v1/chat/completions', '/api/kernels', '/a']) {
      heard = '';
      const said = await rig.call(path, {
        ...{ method: 'POST', body },
        headers: { origin: `http://${label}.apps.localhost`, 'content-type': 'application/json' },
      });
      expect([said.status, said.body]).toEqual([200, 'ok']);
      const [head = '', sent] = heard.split('\r\n\r\n');
      expect(head.split('\r\n')[0]).toBe(`POST ${path} HTTP/1.1`);
      expect(head).toContain(`Content-Length: ${body.length}`);
      expect(sent).toBe(body);
    }
  });
});
