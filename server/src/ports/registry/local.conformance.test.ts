import { serveRegistry } from '../../edge/registry/serve.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { openTestObjects } from '../../testing/objects.ts';
import { registryConformance, registryLies } from './conformance.ts';

const login = `Basic ${Buffer.from('push:a-password').toString('base64')}`;
registryConformance('local', async () => {
  const objects = await openTestObjects();
  const server = await serveRegistry({
    ...{ objects, host: '127.0.0.1', port: 0, clock: systemClock, ids: systemIds },
    mayPush: ({ user, password }, repository) =>
      user === 'push' && password === 'a-password' && repository === 'demo/echo',
    onFault: (error) => {
      throw error;
    },
  });
  return {
    config: { kind: 'local' },
    registry: server.name,
    async send(method, path, body, type = 'application/octet-stream') {
      const headers = { authorization: login, 'content-type': type };
      const answer = await fetch(`http://${server.name}${path}`, { method, headers, ...(body && { body }) });
      await answer.arrayBuffer();
      return { status: answer.status, location: answer.headers.get('location') };
    },
    kill: server.close,
    close: () => objects.close(),
  };
});
registryLies('local');
