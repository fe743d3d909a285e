import { expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld } from '../../src/testing/world.ts';

it('a session and a personal token that were revoked at one api are refused by another', async () => {
  const here = await openWorld();
  try {
    const there = await openWorld({ beside: here });
    try {
      const stays = await here.token('somebody', { sid: 'stays' });
      const ends = await here.token('somebody', { sid: 'ends' });
      const write = (method: string, path: string, body?: unknown) =>
        here.call(method, path, { as: stays, key: systemIds.next(), ...(body !== undefined && { body }) });
      const made = await write('POST', '/api/v1/me/tokens', {
        name: 'ci',
        scopes: ['organizations:read'],
        expires_in_days: 1,
      });
      const status = async (as: string) => (await there.call('GET', '/api/v1/organizations', { as })).status;
      for (const token of [stays, ends, made.body.token]) expect(await status(token)).toBe(200);

      // The other process may not have written yet whom it saw; this one has seen the session itself.
      await here.call('GET', '/api/v1/organizations', { as: ends });
      const { data } = (await here.call('GET', '/api/v1/me/sessions', { as: stays })).body;
      const other = data.find((session: { current: boolean }) => !session.current);
      expect((await write('DELETE', `/api/v1/me/sessions/${other.id}`)).status).toBe(200);
      expect((await write('DELETE', `/api/v1/me/tokens/${made.body.id}`)).status).toBe(200);
      for (const token of [ends, made.body.token]) {
        await expect.poll(() => status(token), { timeout: 30_000 }).toBe(401);
      }
      expect(await status(stays)).toBe(200);
    } finally {
      await there.close();
    }
  } finally {
    await here.close();
  }
});
