import { policies } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { openTerminalScene, type TerminalScene } from './testing.ts';

let world: World;
let home: Tenant;
let scene: TerminalScene;
beforeAll(async () => {
  world = await openWorld({
    policies: { 'rate_limit.terminal_token_requests_per_minute': 10, 'terminal.sessions_per_allocation': 100 },
  });
  home = await world.found('home');
  scene = openTerminalScene(world, home);
});
afterAll(() => world?.close());

describe('the eleventh token in a minute', () => {
  it('is one too many unless a policy says otherwise', () => {
    const mints = policies.find(({ key }) => key === 'rate_limit.terminal_token_requests_per_minute');
    expect(mints).toMatchObject({ default: 10, minimum: 1 });
  });

  it('is refused to the person, and the other people of the address share its budget', async () => {
    const ada = await world.join('ada', home, 'member');
    const bo = await world.join('bo', home, 'member');
    const [first, second] = [await scene.machineOf('ada'), await scene.machineOf('bo')];
    for (let minted = 0; minted < 10; minted += 1) expect((await scene.mint(ada, first)).status).toBe(201);
    const eleventh = await scene.mint(ada, first);
    expect(eleventh.body).toMatchObject({ status: 429, code: 'rate_limit_exceeded', details: { lane: 'terminal' } });
    expect(Number(eleventh.headers['retry-after'])).toBeGreaterThan(0);
    // Nobody else at this address has a token left, though they minted none.
    expect((await scene.mint(bo, second)).body).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    // Other operations have budgets of their own.
    expect((await scene.sessions(bo, second)).status).toBe(200);
  });
});

describe('an installation without a gateway', () => {
  it('says so, in the refusal and in the actions of an allocation', async () => {
    const bare = await openWorld({ terminals: false });
    try {
      const tenant = await bare.found('bare');
      const there = openTerminalScene(bare, tenant);
      const allocation = await there.machineOf(tenant.subject);
      expect((await there.mint(tenant.token, allocation)).body).toMatchObject({
        status: 409,
        code: 'terminal_unsupported',
      });
      expect(await there.action(tenant.token, allocation)).toEqual({
        ...{ action: 'open_terminal', allowed: false },
        why_not: 'This installation runs no terminal gateway.',
      });
    } finally {
      await bare.close();
    }
  });
});
