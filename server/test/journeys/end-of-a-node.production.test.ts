import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { freePort } from '../chaos/children.ts';
import { endAll, type Started, start } from './support/npm-start.ts';
import { ask, signIn } from './support/sign-in.ts';

/** A host leaves service while somebody uses it, told over HTTP alone: notice, deadline, removal. */
let folder: string;
let started: Started;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-start-'));
  // The account of the database passes through, and so do those of shells.
  await chmod(folder, 0o711);
});
afterAll(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

const patience = 240_000;
/** Operators have a budget of requests too. */
const lookEveryMs = 300;

async function as(login: string, headers: Readonly<Record<string, string>> = {}) {
  const [password = ''] = started.fact('Password').split(' ');
  const url = started.fact('URL');
  const { access_token: token } = await signIn(url, { login, password });
  return {
    get: async (path: string) => (await ask(url, token, path, { headers })).body,
    send: (method: string, path: string, body: object = {}) =>
      ask(url, token, path, {
        method,
        headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': systemIds.next() },
        body: JSON.stringify(body),
      }),
  };
}
const until = <T>(look: () => Promise<T | undefined | false>): Promise<T> =>
  eventually(async () => {
    await systemClock.sleep(lookEveryMs);
    return look();
  });

describe('a host that is taken out of service', () => {
  it(
    'gives notice, is emptied and retired, and is gone when it is removed',
    async () => {
      started = await start([
        '--data',
        join(folder, 'data'),
        '--bare',
        '--port',
        String(await freePort()),
        '--host-speed',
        '2000',
      ]);
      const operator = await as('operator');
      const owner = await as('owner');
      const { organizations } = await owner.get('/api/v1/me');
      const demo = organizations.find(({ slug }: { slug: string }) => slug === 'demo');
      const { data: projects } = await owner.get(`/api/v1/organizations/${demo.id}/projects`);
      const tenant = await as('owner', { 'x-project-id': projects[0].id });
      const slices = await until(async () => {
        const { data } = await operator.get('/api/v1/admin/nodes');
        const ready = data.filter(
          (node: { sku: string; schedulable: boolean }) => node.sku === 'h200-sxm-slice' && node.schedulable,
        );
        return ready.length === 2 && (ready as { id: string }[]);
      });
      const stateOf = async (path: string) => (await operator.get(path)).state as string;
      /** Asks for two GPUs and answers where they are, once they are in use. */
      const rent = async () => {
        const made = await tenant.send('POST', '/api/v1/allocations', {
          sku: 'h200-sxm-slice',
          gpus: 2,
          region: 'local',
        });
        expect(made).toMatchObject({ status: 201 });
        const path = `/api/v1/allocations/${made.body.id}`;
        await until(async () => (await tenant.get(path)).state === 'active');
        const { data } = await operator.get('/api/v1/sim/nodes');
        const host = data.find(({ running }: { running: string[] }) => running.includes(made.body.id));
        return { path, node: `/api/v1/admin/nodes/${host.node_id}`, nodeId: host.node_id as string };
      };
      const drain = async (node: string, minutes: number) =>
        expect(
          await operator.send('POST', `${node}/drain`, { reason: 'a fan is loud', notice_minutes: minutes }),
        ).toMatchObject({ status: 202, body: { state: 'draining' } });

      // With notice the tenant is told and leaves by itself, long before the deadline.
      const first = await rent();
      await drain(first.node, 600);
      const notice = await until(async () => {
        const { data } = await tenant.get(`${first.path}/timeline?limit=100`);
        return data.find(({ name }: { name: string }) => name === 'drain_notice');
      });
      expect(notice.detail).toEqual({ deadline_at: (await operator.get(first.node)).drain_deadline_at });
      expect(await stateOf(first.node)).toBe('draining');
      expect((await tenant.send('POST', `${first.path}/release`)).status).toBe(202);
      await until(async () => (await stateOf(first.node)) === 'retired');
      expect((await operator.get(first.node)).slots).toEqual({ disabled: 8 });

      // Without, it is released, and the node waits until that is proven.
      const second = await rent();
      expect(second.nodeId).not.toBe(first.nodeId);
      expect(slices.map(({ id }) => id).sort()).toEqual([first.nodeId, second.nodeId].sort());
      await drain(second.node, 0);
      await until(async () => (await stateOf(second.node)) === 'retired');
      expect(await tenant.get(second.path)).toMatchObject({ state: 'released', release_reason: 'drain' });

      // Removed for good: nothing that it has opens anything, and nothing new is issued to it.
      expect((await operator.send('DELETE', first.node, { reason: 'the fan is still loud' })).status).toBe(202);
      await until(async () => (await stateOf(first.node)) === 'deleted');
      const { certificate, last_report_at: lastHeard } = await operator.get(first.node);
      expect(certificate.revoked_at).not.toBeNull();
      const token = await operator.send('POST', `${first.node}/enrolment-token`, { purpose: 'recover' });
      expect(token.status).toBe(409);
      for (const state of ['stopped', 'running']) {
        await operator.send('POST', `/api/v1/sim/nodes/${first.nodeId}/agent`, { state });
      }
      // The other host reports on, and this one is not heard.
      const { last_report_at: reported } = await operator.get(second.node);
      await until(async () => (await operator.get(second.node)).last_report_at !== reported);
      expect(await operator.get(first.node)).toMatchObject({ state: 'deleted', last_report_at: lastHeard });
      expect(await started.kill('SIGTERM')).toBe(0);
    },
    patience,
  );
});
