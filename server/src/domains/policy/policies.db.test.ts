import { type PolicyLevel, policyLevels } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';

let world: World;
let home: Tenant;
let operator: string;
const clock = makeTestClock(new Date());
beforeAll(async () => {
  world = await openWorld({ clock });
  home = await world.found('home');
  operator = await world.operator();
});
afterAll(() => world.close());

const put = (key: string, body: object) =>
  world.call('PUT', `/api/v1/admin/policies/${key}`, { as: operator, key: systemIds.next(), body });
const seen = async (key: string) => {
  const { body } = await world.call('GET', '/api/v1/policies', {
    as: home.token,
    headers: { 'x-project-id': home.projectId },
  });
  return body.data.find((policy: { key: string }) => policy.key === key);
};

describe('a policy', () => {
  it('applies with its provenance as soon as it is set', async () => {
    expect(await seen('billing.window_seconds')).toMatchObject({ value: 60, source: { level: 'default' } });
    const reply = await put('billing.window_seconds', {
      level: 'project',
      subject_id: home.projectId,
      value: 30,
      reason: 'a trial',
    });
    expect(reply.status, reply.text).toBe(200);
    await expect
      .poll(() => seen('billing.window_seconds'))
      .toMatchObject({
        value: 30,
        source: { level: 'project', subject_id: home.projectId, hard: false },
      });
  });

  it('is not overwritten by an operator who saw another value, and says who changed it and to what', async () => {
    const key = 'allocation.max_duration_max_hours';
    const place = { level: 'organization', subject_id: home.organizationId };
    const all = await world.call('GET', '/api/v1/admin/policies', { as: operator });
    const { minimum } = all.body.definitions.find((each: { key: string }) => each.key === key);
    const first = await put(key, { ...place, value: minimum + 1, expected_value: null, reason: 'a first value' });
    expect(first.status, first.text).toBe(200);
    const refusal = {
      status: 409,
      body: {
        code: 'version_conflict',
        message: expect.stringContaining(`${minimum + 1} ("a first value")`),
        details: { setting: { value: minimum + 1 }, changed_by: expect.any(String) },
      },
    };
    for (const expected_value of [null, minimum]) {
      const late = await put(key, { ...place, value: minimum + 2, expected_value, reason: 'did not look' });
      expect(late, late.text).toMatchObject(refusal);
    }
    const informed = { ...place, value: minimum + 2, expected_value: minimum + 1, reason: 'has looked' };
    expect((await put(key, informed)).body).toMatchObject({ value: minimum + 2 });
    const gone = { level: 'organization', subject_id: systemIds.next(), value: minimum + 2, expected_value: minimum };
    expect(await put(key, { ...gone, reason: 'not there' })).toMatchObject({ status: 409 });
  });

  it('that changed without a word is seen after 60 seconds', async () => {
    await asSystem(
      world.root,
      `insert into policy_values (id, key, level, subject_id, value, reason) values ($1, 'terminal.session_max_ttl_seconds', 'global', '', '600', 'quietly')`,
      [systemIds.next()],
    );
    expect(await seen('terminal.session_max_ttl_seconds')).toMatchObject({ value: 14_400 });
    // The wait of 60 seconds may begin after a look that is still under way, so the time passes at each look.
    await expect
      .poll(async () => {
        await clock.advance(60_001);
        return seen('terminal.session_max_ttl_seconds');
      })
      .toMatchObject({ value: 600 });
  });

  it.each(
    [
      ['billing.window_seconds', 5, 'between 10 and 3600'],
      ['billing.window_seconds', 1.5, undefined],
      ['billing.window_seconds', true, 'whole number'],
      ['allocation.isolation_model', 'none', 'one of user-revoke, full-reimage'],
      ['notification.low_balance_enabled', 1, 'true or false'],
    ].flatMap(([key, value, says]) =>
      policyLevels.map((level) => [key, value, level, says] as [string, unknown, PolicyLevel, string | undefined]),
    ),
  )('%s refuses %s at the level %s', async (key, value, level, says) => {
    const correlationId = systemIds.next();
    const subject = { global: undefined, plan: 'team', organization: home.organizationId, project: home.projectId };
    const subject_id = level === 'user' ? systemIds.next() : subject[level];
    const reply = await world.call('PUT', `/api/v1/admin/policies/${key}`, {
      as: operator,
      key: systemIds.next(),
      body: { level, value, reason: 'a mistake', ...(subject_id && { subject_id }) },
      headers: { 'x-request-id': correlationId },
    });
    if (says === undefined) return expect(reply.status).toBe(400);
    expect(reply).toMatchObject({ status: 422, body: { code: 'policy_out_of_bounds' } });
    expect(reply.body.message).toContain(says);
    await expect
      .poll(
        async () =>
          (await world.root.query('select action, result from audit_logs where correlation_id = $1', [correlationId]))
            .rows,
      )
      .toEqual([{ action: 'policy.bound_violation', result: 'failure' }]);
  });

  it('billing.window_seconds is 60 by default, and takes 10 to 3600 seconds and nothing else', async () => {
    const all = await world.call('GET', '/api/v1/admin/policies', { as: operator });
    const definition = all.body.definitions.find(({ key }: { key: string }) => key === 'billing.window_seconds');
    expect(definition).toMatchObject({ default: 60, minimum: 10, maximum: 3600 });
    const place = { level: 'plan', subject_id: 'bounds' };
    for (const [value, status] of [
      ...([
        [9, 422],
        [10, 200],
        [3600, 200],
        [3601, 422],
      ] as const),
    ]) {
      const reply = await put('billing.window_seconds', { ...place, value, reason: 'the bounds' });
      expect(reply.status, `${value}: ${reply.text}`).toBe(status);
    }
  });

  it('names whom it is for, unless it is for everybody', async () => {
    const nobody = await put('billing.window_seconds', { level: 'project', value: 30, reason: 'oops' });
    expect(nobody).toMatchObject({ status: 400, body: { code: 'policy_level_invalid' } });
    const somebody = await put('billing.window_seconds', {
      level: 'global',
      subject_id: 'x',
      value: 30,
      reason: 'oops',
    });
    expect(somebody).toMatchObject({ status: 400, body: { code: 'policy_level_invalid' } });
    const unknown = await put('billing.no_such_thing', { level: 'global', value: 30, reason: 'oops' });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'policy_not_found' } });
  });

  it('goes back to the next level when it is taken back', async () => {
    await put('billing.minimum_deposit_minor', { level: 'global', value: 2_000, reason: 'raised' });
    await expect.poll(async () => (await seen('billing.minimum_deposit_minor'))?.value).toBe(2_000);
    const gone = await world.call('DELETE', '/api/v1/admin/policies/billing.minimum_deposit_minor', {
      as: operator,
      key: systemIds.next(),
      body: { level: 'global', reason: 'lowered' },
    });
    expect(gone.status, gone.text).toBe(200);
    await expect.poll(async () => (await seen('billing.minimum_deposit_minor'))?.value).toBe(1_000);
  });

  it('sets the pace of a single caller', async () => {
    const loud = await world.found('loud');
    const reply = await put('rate_limit.read_requests_per_minute', {
      level: 'project',
      subject_id: loud.projectId,
      value: 7,
      reason: 'too loud',
    });
    expect(reply.status, reply.text).toBe(200);
    await expect
      .poll(async () => {
        const look = await world.call('GET', '/api/v1/policies', {
          as: loud.token,
          headers: { 'x-project-id': loud.projectId },
        });
        return look.headers['ratelimit-policy'];
      })
      .toBe('"reads";q=7;w=60');
  });
});
