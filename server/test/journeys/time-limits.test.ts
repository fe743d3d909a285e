import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';

/**
 * How soon a change at one api counts at the others. One of them hears every word and has it at once, with no clock moving;
 * one is deaf, so that only its own looks remain, and those are bounded by what is promised.
 */
const clock = makeTestClock(new Date('2026-06-01T12:00:00Z'));
const promised = { revocationMs: 5_000, policyMs: 60_000 };
let here: World;
let informed: World;
let deaf: World;
let home: Tenant;
beforeAll(async () => {
  here = await openWorld({ clock });
  informed = await openWorld({ clock, beside: here });
  deaf = await openWorld({ clock, beside: here, deaf: true });
  home = await here.found('home');
});
afterAll(async () => {
  await deaf.close();
  await informed.close();
  await here.close();
});

const write = async (method: string, path: string, as: string, body?: object) => {
  const reply = await here.call(method, path, { as, key: systemIds.next(), ...(body && { body }) });
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.body;
};
const organization = () => `/api/v1/organizations/${home.organizationId}`;
const statusAt = async (world: World, as: string) => (await world.call('GET', organization(), { as })).status;

/** `look` answers something new at both: at the one that hears without any time, at the other one after `withinMs`. */
async function arrives<T>(look: (world: World) => Promise<T>, then: T, withinMs: number): Promise<void> {
  expect(await look(here)).toEqual(then);
  await expect.poll(() => look(informed), { timeout: 10_000 }).toEqual(then);
  // The clock has not moved: what the deaf one knows is what it knew.
  expect(await look(deaf)).not.toEqual(then);
  await clock.advance(withinMs);
  await expect.poll(() => look(deaf), { timeout: 10_000 }).toEqual(then);
}

describe('a change at one api', () => {
  it('that takes a role away counts everywhere within five seconds', async () => {
    const token = await here.join('leaving', home, 'member');
    for (const world of [here, informed, deaf]) expect(await statusAt(world, token)).toBe(200);
    await write('POST', `${organization()}/leave`, token, {});
    await arrives((world) => statusAt(world, token), 404, promised.revocationMs);
  });

  it('that revokes a personal token counts everywhere within five seconds', async () => {
    const made = await write('POST', '/api/v1/me/tokens', home.token, {
      name: 'short',
      scopes: ['organizations:read'],
      expires_in_days: 1,
    });
    for (const world of [here, informed, deaf]) expect(await statusAt(world, made.token)).toBe(200);
    await write('DELETE', `/api/v1/me/tokens/${made.id}`, home.token);
    await expect.poll(() => statusAt(here, made.token), { timeout: 10_000 }).toBe(401);
    await arrives((world) => statusAt(world, made.token), 401, promised.revocationMs);
  });

  it('that sets a policy counts everywhere within sixty seconds', async () => {
    const operator = await here.operator();
    const seenAt = async (world: World) => {
      const { body } = await world.call('GET', '/api/v1/policies', {
        as: home.token,
        headers: { 'x-project-id': home.projectId },
      });
      const all = body.data as { key: string; value: unknown }[];
      return all.find(({ key }) => key === 'billing.window_seconds')?.value;
    };
    await write('PUT', '/api/v1/admin/policies/billing.window_seconds', operator, {
      level: 'project',
      subject_id: home.projectId,
      value: 30,
      reason: 'a test of how soon',
    });
    await expect.poll(() => seenAt(here), { timeout: 10_000 }).toBe(30);
    await arrives(seenAt, 30, promised.policyMs);
  });
});
