import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../kernel/log.ts';
import { knownRun } from '../../testing/runs-double.ts';
import { openWorld, type World } from '../../testing/world.ts';
import { workflowRoutes } from './index.ts';

let world: World;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  operator = await world.operator();
});
afterAll(() => world.close());

const ask = async (path: string) => world.call('GET', `/api/v1/admin/workflows${path}`, { as: operator });

describe('the runs of sagas', () => {
  it('are listed by saga, state and what they are about', async () => {
    expect((await ask('')).body.data).toMatchObject([{ saga: knownRun.saga, run_id: knownRun.id, step: 'machine' }]);
    expect((await ask('?state=stuck')).body.data).toEqual([]);
    expect((await ask(`?saga=${knownRun.saga}&run_id=${knownRun.id}`)).body.data).toHaveLength(1);
  });

  it('are shown with their plan and what was tried, and tell no secrets', async () => {
    const { body, text } = await ask(`/${knownRun.saga}/${knownRun.id}`);
    expect(body.plan.map(({ name }: { name: string }) => name)).toEqual(['begin', 'machine']);
    expect(body.attempts).toMatchObject([{ name: 'begin', work: 'do', end: 'failed' }]);
    expect(text).not.toContain('gpuaas_pat_0123456789abcdef');
    expect((await ask('/allocation.provision/unknown')).body.code).toBe('workflow_not_found');
  });

  it('are said to be out of reach when the engine does not answer, never to be none', async () => {
    const away = async () => {
      throw new Error('connection refused');
    };
    const runs = { list: away, find: away, close: async () => undefined };
    for (const parts of [
      { runs, log: silentLog },
      { runs: undefined, log: silentLog },
    ]) {
      for (const { handle, route } of workflowRoutes(parts)) {
        const input = { params: { saga: 's', run_id: 'r' }, query: {}, body: undefined };
        expect(await handle({} as never, input as never), route.id).toMatchObject({ code: 'service_unavailable' });
      }
    }
  });
});
