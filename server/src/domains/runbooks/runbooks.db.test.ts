import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../../testing/world.ts';

let world: World;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  operator = await world.operator();
});
afterAll(() => world.close());
const ask = (path: string) => world.call('GET', `/api/v1/admin/${path}`, { as: operator });

describe('the runbooks of an installation', () => {
  it('are found by the signal that an operator sees, and read with their text', async () => {
    const listed = await ask('runbooks?signal=NodeLost');
    expect(listed.body).toMatchObject({
      data: [{ id: 'node-lost', page: '/docs/runbooks/node-lost', owner: 'nodes' }],
    });
    expect(listed.text).not.toContain('## See it');
    const read = await ask('runbooks/lag_of_email_worker');
    expect(read.body).toMatchObject({ id: 'event-consumer-behind', text: expect.stringContaining('## See it') });
  });

  it('are not found under a name that no signal has', async () => {
    const reply = await ask('runbooks/nothing_of_ours');
    expect(reply.status).toBe(404);
    expect(reply.body.code).toBe('runbook_not_found');
  });

  it('are for operators alone', async () => {
    const { token } = await world.found('home');
    expect((await world.call('GET', '/api/v1/admin/runbooks', { as: token })).status).toBe(403);
  });

  it('are named by each finding of the health of the platform that is not in order', async () => {
    const { body } = await ask('health');
    const findings = body.findings as {
      readonly name: string;
      readonly status: string;
      readonly runbook: string | null;
    }[];
    // Nothing but the api runs in this world.
    expect(findings.find(({ name }) => name === 'outbox_relay')).toMatchObject({
      status: 'bad',
      runbook: 'process-missing',
    });
    expect(findings.filter(({ status, runbook }) => (status === 'ok') !== (runbook === null))).toEqual([]);
  });
});
