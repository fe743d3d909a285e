import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { freePort } from '../chaos/children.ts';
import { endAll, run, type Started, start } from './support/npm-start.ts';
import { ask, signIn } from './support/sign-in.ts';

/** The hosts of a local start, seen and broken by the operator of that start. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-start-'));
  // The account of the database passes through, and so do those of shells.
  await chmod(folder, 0o711);
});
afterAll(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

const patience = 180_000;
/** Operators have a budget of requests too. */
const lookEveryMs = 300;
interface Node {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly schedulable: boolean;
  readonly slots: Readonly<Record<string, number>>;
}

async function operatorOf(started: Started) {
  const [password = ''] = started.fact('Password').split(' ');
  const url = started.fact('URL');
  const { access_token: token } = await signIn(url, { login: 'operator', password });
  return {
    get: async (path: string) => (await ask(url, token, path)).body as Record<string, unknown>,
    post: (path: string, body: object, method = 'POST') =>
      ask(url, token, path, {
        method,
        headers: { 'content-type': 'application/json', 'idempotency-key': systemIds.next() },
        body: JSON.stringify(body),
      }),
  };
}
type Operator = Awaited<ReturnType<typeof operatorOf>>;

const nodesOf = async (operator: Operator) => (await operator.get('/api/v1/admin/nodes'))['data'] as Node[];
const inService = (operator: Operator) =>
  eventually(async () => {
    await systemClock.sleep(lookEveryMs);
    const nodes = await nodesOf(operator);
    return nodes.length === 3 && nodes.every(({ state, schedulable }) => state === 'active' && schedulable)
      ? nodes.sort((a, b) => a.name.localeCompare(b.name))
      : undefined;
  });

describe('the simulated fleet of npm start', () => {
  it(
    'is refused in sizes and speeds that do not exist',
    async () => {
      const [size, speed] = await Promise.all([run(['--fleet', 'huge']), run(['--speed', '0'])]);
      expect(size).toEqual({ code: 1, output: '\n--fleet is one of none, small, medium, large; not huge.\n' });
      expect(speed).toEqual({ code: 1, output: '\n--speed is a number from 1 to 100000; not 0.\n' });
    },
    patience,
  );

  it(
    'comes into service by itself, can be broken and mended, and is the same after kill -9',
    async () => {
      const data = join(folder, 'data');
      const port = await freePort();
      const first = await start(['--data', data, '--bare', '--port', String(port), '--host-speed', '500']);
      const operator = await operatorOf(first);
      const nodes = await inService(operator);
      expect(nodes.map(({ name, slots }) => ({ name, slots }))).toEqual([
        { name: 'local-slice-1', slots: { available: 8 } },
        { name: 'local-slice-2', slots: { available: 8 } },
        { name: 'north-metal-1', slots: { available: 8 } },
      ]);
      expect(await operator.get('/api/v1/sim/nodes')).toMatchObject({ speed: 500 });

      const [broken, lost] = nodes.map(({ id }) => `/api/v1/sim/nodes/${id}`);
      expect((await operator.post(`${broken}/faults`, { fault: 'xid_79', slot_index: 2 })).status).toBe(200);
      expect((await operator.post(`${lost}/agent`, { state: 'stopped' })).body).toMatchObject({ agent: 'stopped' });
      // The host says so itself, with its next heartbeat.
      await eventually(async () => {
        await systemClock.sleep(lookEveryMs);
        const { conditions } = (await operator.get(`/api/v1/admin/nodes/${nodes[0]?.id}`)) as {
          conditions: { type: string; status: string; reason: string }[];
        };
        return conditions.some(
          ({ type, status, reason }) => `${type} ${status} ${reason}` === 'GpusHealthy False Xid79',
        );
      });

      await first.kill('SIGKILL');
      const second = await start(['--data', data, '--bare', '--host-speed', '500']);
      const again = await operatorOf(second);
      const kept = (await nodesOf(again)).map(({ id }) => id);
      expect(kept.sort()).toEqual(nodes.map(({ id }) => id).sort());
      const seen = (await again.get('/api/v1/sim/nodes'))['data'] as {
        name: string;
        agent: string;
        faults: object[];
      }[];
      expect(seen.sort((a, b) => a.name.localeCompare(b.name))).toMatchObject([
        { name: 'local-slice-1', agent: 'running', faults: [{ fault: 'xid_79', slot_index: 2 }] },
        { name: 'local-slice-2', agent: 'stopped', faults: [{ fault: 'agent_lost' }] },
        { name: 'north-metal-1', faults: [] },
      ]);
      expect((await again.post(`${lost}/faults`, {}, 'DELETE')).body).toMatchObject({ agent: 'running', faults: [] });
      expect(await second.kill('SIGTERM')).toBe(0);
    },
    patience,
  );

  it(
    'is not there when it was not asked for, and neither are its routes',
    async () => {
      const started = await start(['--ephemeral', '--port', String(await freePort()), '--fleet', 'none']);
      const operator = await operatorOf(started);
      expect(await operator.get('/api/v1/sim/nodes')).toMatchObject({ code: 'route_not_found' });
      expect(await nodesOf(operator)).toEqual([]);
      expect(await started.kill('SIGTERM')).toBe(0);
    },
    patience,
  );
});
