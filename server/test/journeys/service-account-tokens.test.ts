import { serviceAccountTokens } from '@gpuaas/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld, publicUrl, type World } from '../../src/testing/world.ts';

/** A program with the SDK and a key of a service account, at the token endpoint. */
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.close());

const overTheWorld = (async (url: string, init: RequestInit) => {
  const { status, text } = await world.call('POST', new URL(url).pathname, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: String(init.body),
  });
  return new Response(text, { status });
}) as typeof fetch;

describe('the SDK with a key of a service account', () => {
  it('gets tokens that work, and none once the key is revoked', async () => {
    const home = await world.found('home');
    const write = (method: string, path: string, body?: object) =>
      world.call(method, path, { as: home.token, key: systemIds.next(), ...(body && { body }) });
    const { body: account } = await write('POST', `/api/v1/projects/${home.projectId}/service-accounts`, {
      ...{ name: 'Robot', slug: 'robot', scopes: ['projects:read'] },
    });
    const keys = `/api/v1/service-accounts/${account.id}/keys`;
    const { body: key } = await write('POST', keys, { name: 'ci', expires_in_days: 7 });
    const open = () => serviceAccountTokens({ baseUrl: publicUrl, account: account.id, key, fetch: overTheWorld });
    const token = await open()();
    expect((await world.call('GET', `/api/v1/projects/${home.projectId}`, { as: token })).status).toBe(200);
    expect((await write('DELETE', `${keys}/${key.id}`)).status).toBe(200);
    await expect(open()()).rejects.toThrow('invalid_grant');
  });
});
