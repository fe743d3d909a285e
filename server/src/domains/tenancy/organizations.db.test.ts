import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { openWorld, type World } from '../../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ policies: { 'tenancy.max_owned_organizations': 3 } });
});
afterAll(() => world.close());

it('a person founds no more organizations than the policy allows, also with many requests at once', async () => {
  const as = await world.token('founder');
  const found = (slug: string) =>
    world.call('POST', '/api/v1/organizations', { as, key: systemIds.next(), body: { name: slug, slug } });
  const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => found(`founded-${index}`)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 201, 409, 409, 409]);
  const refused = answers.filter(({ status }) => status === 409);
  expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['organization_limit_reached']));
  // A deleted one makes room.
  const first = answers.find(({ status }) => status === 201)?.body;
  const path = `/api/v1/organizations/${first.id}`;
  expect((await world.call('DELETE', path, { as, key: systemIds.next() })).status).toBe(200);
  expect((await found('founded-again')).status).toBe(201);
});
