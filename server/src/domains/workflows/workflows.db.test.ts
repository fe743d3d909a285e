import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { knownRun, makeRunsDouble } from '../../testing/runs-double.ts';
import { auditedChange, openWorld, type World } from '../../testing/world.ts';
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
    expect((await ask('')).body.data).toMatchObject([
      { workflow: knownRun.saga, run_id: knownRun.id, step: 'machine' },
    ]);
    expect((await ask('?state=stuck')).body.data).toEqual([]);
    expect((await ask(`?workflow=${knownRun.saga}&run_id=${knownRun.id}`)).body.data).toHaveLength(1);
  });

  it('are shown with their plan and what was tried, and tell no secrets', async () => {
    const { body, text } = await ask(`/${knownRun.saga}/${knownRun.id}`);
    expect(body.plan.map(({ name }: { name: string }) => name)).toEqual(['begin', 'machine']);
    expect(body.attempts).toMatchObject([{ name: 'begin', work: 'do', end: 'failed' }]);
    expect(text).not.toContain('gpuaas_pat_0123456789abcdef');
    expect((await ask('/allocation.provision/unknown')).body.code).toBe('workflow_not_found');
  });

  it('say what can be done with one, and take an order with its reason into the audit log', async () => {
    const { body } = await ask(`/${knownRun.saga}/${knownRun.id}`);
    expect(body).toMatchObject({ doing: 'waiting', until: '2026-01-01T01:00:00.000Z', undoing: false, orders: [] });
    expect(body.actions).toEqual([
      { action: 'retry', allowed: true, why_not: null },
      { action: 'cancel', allowed: true, why_not: null },
    ]);
    const reason = 'the rack is being moved';
    const send = (run: string, order: string) =>
      world.call('POST', `/api/v1/admin/workflows/${knownRun.saga}/${run}/${order}`, {
        ...{ as: operator, key: systemIds.next(), body: { reason } },
      });
    expect((await send(knownRun.id, 'cancel')).status).toBe(202);
    const { rows } = await world.root.query(
      `select target_id, ${auditedChange} from audit_logs l where action = 'workflow.cancel'`,
    );
    expect(rows).toMatchObject([{ target_id: `${knownRun.saga}/${knownRun.id}`, change: { reason } }]);
    expect((await send('unknown', 'retry')).body.code).toBe('workflow_not_found');
  });

  it('refuse an order with the reason that the engine gives', async () => {
    const runs = {
      ...makeRunsDouble(),
      cancel: async () => ({ refused: 'It is in its last step, and may be done at any moment.' }),
    };
    const db = {} as never;
    const route = workflowRoutes({ db, runs, log: silentLog }).find((each) => each.route.id === 'workflow_cancel');
    const input = { params: { workflow: knownRun.saga, run_id: knownRun.id }, query: {}, body: { reason: 'r' } };
    expect(await route?.handle({ actorId: 'ada' } as never, input as never)).toMatchObject({
      ...{ code: 'illegal_transition', message: 'It is in its last step, and may be done at any moment.' },
    });
  });

  it('are said to be out of reach when the engine does not answer, never to be none', async () => {
    const away = async () => {
      throw new Error('connection refused');
    };
    const runs = { list: away, find: away, retry: away, cancel: away, close: async () => undefined };
    const db = {} as never;
    for (const parts of [
      { db, runs, log: silentLog },
      { db, runs: undefined, log: silentLog },
    ]) {
      for (const { handle, route } of workflowRoutes(parts)) {
        const input = { params: { workflow: 's', run_id: 'r' }, query: {}, body: { reason: 'r' } };
        expect(await handle({} as never, input as never), route.id).toMatchObject({ code: 'service_unavailable' });
      }
    }
  });
});
