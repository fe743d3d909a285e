import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { refusing } from '../../../testing/factors-double.ts';
import { openWorld, type World } from '../../../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const begin = (as: string, name: string) =>
  world.call('POST', '/api/v1/me/factors', { as, key: systemIds.next(), body: { name } });

describe('second factors are refused with a reason', () => {
  it('when another provider keeps the account', async () => {
    const answer = await begin(await world.token(refusing.subject), 'Phone');
    expect([answer.status, answer.body.code]).toEqual([409, 'factors_elsewhere']);
  });

  it('when the account has as many as it can have', async () => {
    const answer = await begin(await world.token('ada'), refusing.name);
    expect([answer.status, answer.body.code]).toEqual([409, 'factor_limit']);
  });

  it('when too many wrong codes were tried, with the time to wait', async () => {
    const as = await world.token('ada');
    const { body } = await begin(as, 'Phone');
    const answer = await world.call('POST', `/api/v1/me/factors/${body.id}/confirm`, {
      ...{ as, key: systemIds.next(), body: { code: refusing.code } },
    });
    expect([answer.status, answer.body.code]).toEqual([429, 'factor_attempts_exceeded']);
    expect(answer.body.details).toMatchObject({ retry_after_ms: 60_000 });
  });

  it('when browsers make no passkeys here, and when a passkey is not the one that was asked for', async () => {
    const as = await world.token('ada');
    const beginPasskey = (name: string) =>
      world.call('POST', '/api/v1/me/passkeys', { as, key: systemIds.next(), body: { name } });
    const unavailable = await beginPasskey(refusing.name);
    expect([unavailable.status, unavailable.body.code]).toEqual([409, 'passkeys_unavailable']);
    const { body } = await beginPasskey('Laptop');
    const answer = await world.call('POST', `/api/v1/me/passkeys/${body.id}/confirm`, {
      ...{ as, key: systemIds.next(), body: { credential: refusing.code } },
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'passkey_wrong']);
  });
});
