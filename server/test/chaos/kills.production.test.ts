import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../../tools/chaos/invariants.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { type Child, type Installation, openInstallation } from './children.ts';

/**
 * Real processes, killed with SIGKILL by themselves at every named place, and started again. Afterwards nothing that was
 * acknowledged is missing, nothing happened twice, and every invariant holds.
 */
let installation: Installation;
let root: pg.Client;
let api: Child;
let token: string;
let organizationId: string;

/** A start costs a second, so the api that proves one death intact is already armed for the next. */
beforeAll(async () => {
  installation = await openInstallation();
  root = new pg.Client({ connectionString: installation.schema.url });
  await root.connect();
  token = await installation.token('owner');
  // The first two commits make the person and the organization.
  api = await installation.start('api', 'write.before-commit=kill:3');
  const made = await installation.call('POST', '/api/v1/organizations', {
    ...{ as: token, key: systemIds.next(), body: { name: 'Chaos', slug: 'chaos' } },
  });
  organizationId = made?.body.id;
}, 60_000);
afterAll(async () => {
  await root?.end();
  await installation?.close();
});

const count = async (text: string, values: unknown[] = []): Promise<number> =>
  (await root.query<{ n: number }>(text, values)).rows[0]?.n ?? Number.NaN;
const projectsNamed = (slug: string) =>
  count('select count(*)::int as n from projects where slug = $1 and organization_id = $2', [slug, organizationId]);
const audited = (slug: string) =>
  count(
    `select count(*)::int as n from audit_logs l join audit_particulars p on p.audit_id = l.id
     where l.action = 'project.create' and p.particulars #>> '{change,slug}' = $1`,
    [slug],
  );

/** Asks an api that dies on the way, then the next one, twice, with the same key. */
async function createThroughDeath(slug: string, next: string | undefined) {
  const ask = () =>
    installation.call('POST', `/api/v1/organizations/${organizationId}/projects`, {
      ...{ as: token, key: `key-of-${slug}`, body: { name: slug, slug } },
    });
  expect(await ask(), api.output()).toBeUndefined();
  expect(await api.ended).toEqual({ code: null, signal: 'SIGKILL' });
  const left = await projectsNamed(slug);
  api = await installation.start('api', next);
  return { left, answers: [await ask(), await ask()] };
}

describe('a process that is killed', () => {
  it('before the commit leaves nothing, and the same key works', async () => {
    const next = 'write.after-commit=kill:2';
    const { left, answers } = await createThroughDeath('before', next);
    expect(left).toBe(0);
    expect(answers).toMatchObject([
      { status: 201, replayed: false, body: { slug: 'before' } },
      { status: 201, replayed: true, body: { slug: 'before' } },
    ]);
    expect([await projectsNamed('before'), await audited('before')]).toEqual([1, 1]);
  });

  it.each([
    { at: 'write.after-commit', next: 'http.before-response=kill:3' },
    { at: 'http.before-response', next: undefined },
  ] as const)('at $at has done it: the repetition gets the stored answer', async ({ at, next }) => {
    const slug = at.replace('.', '-');
    const { left, answers } = await createThroughDeath(slug, next);
    expect(left).toBe(1);
    expect(answers).toMatchObject([
      { status: 201, replayed: true, body: { slug } },
      { status: 201, replayed: true, body: { slug } },
    ]);
    expect([await projectsNamed(slug), await audited(slug)]).toEqual([1, 1]);
  });

  it('between publishing and remembering loses no event, and none takes effect twice; nor after the effect', async () => {
    const project = await installation.call('POST', `/api/v1/organizations/${organizationId}/projects`, {
      ...{ as: token, key: systemIds.next(), body: { name: 'Doomed', slug: 'doomed' } },
    });
    const id = project?.body.id as string;
    const removal = await installation.call('DELETE', `/api/v1/projects/${id}`, { as: token, key: systemIds.next() });
    expect(removal?.status, JSON.stringify(removal)).toBe(202);

    const worker = await installation.start('provisioning-worker', 'consumer.after-effect=kill');
    const relay = await installation.start('outbox-relay', 'relay.after-publish=kill');
    expect(await relay.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' });
    // Everything is on the bus, and the relay knows of nothing: it publishes all of it again.
    expect(await count('select coalesce(max(position), 0)::int as n from relay_watermarks')).toBe(0);
    await installation.start('outbox-relay');

    const begun = `select count(*)::int as n from audit_logs where action = 'project.begin_removal' and target_id = $1`;
    expect(await count(begun, [id])).toBe(1);
    // The dead worker's hold on the message ends when it has given no sign of life for long enough: let that time pass.
    await root.query(
      `update bus.job set heartbeat_on = heartbeat_on - interval '5 minutes', started_on = started_on - interval '5 minutes'
       where state = 'active'`,
    );
    await installation.start('provisioning-worker');

    await eventually(
      async () => (await count(`select count(*)::int as n from projects where state = 'deleted'`)) === 1,
    );
    await eventually(
      async () =>
        (await count(
          `select count(*)::int as n from bus.job where name = 'provisioning-worker' and state < 'completed'`,
        )) === 0,
    );
    await eventually(async () => (await pending()) === 0);
    expect(await count(begun, [id])).toBe(1);
    expect(await count('select count(*)::int as n from consumed_events')).toBe(1);
    expect(await count(`select count(*)::int as n from dead_letters`)).toBe(0);
  }, 60_000);

  it('leaves no child behind: a process ends in good order when whoever started it is gone', async () => {
    api.leave();
    expect(await api.ended).toEqual({ code: 0, signal: null });
    expect(api.output()).toContain('the parent process is gone');
  });

  it('leaves every invariant intact', async () => {
    expect(await brokenInvariants(async (text) => (await root.query(text)).rows)).toEqual([]);
  });
});

const pending = () =>
  count(
    `select count(*)::int as n from outbox_events e, relay_watermarks m
     where e.transaction_id >= m.transaction_from and not (e.transaction_id < m.transaction_to and e.position <= m.position)`,
  );
