import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { hourMs, minuteMs } from '../../../kernel/units.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { putAllocation, sliceSku, stockFleet, testRegion } from '../../allocations/testing.ts';
import { makeBudgets } from '../budgets/watch.ts';
import { makeCaps, makeReleaseHolds } from '../holds/work.ts';
import { failAllocation, setCharged, setPrice } from './testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let billing: DatabasePort;
let finance: string;
let aheadMs = 0;
const clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };

beforeAll(async () => {
  world = await openWorld({
    clock,
    policies: { 'billing.enforce_balance': true, 'billing.minimum_runway_minutes': 60 },
  });
  billing = await openPostgres({
    ...{ url: world.schema.as('gpuaas_billing'), clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 },
  });
  finance = await world.operator('finance');
  const fleet = await stockFleet(world.root);
  for (let n = 0; n < 6; n += 1) await fleet.addNode();
});
afterAll(async () => {
  await billing.close();
  await world.close();
});

const worker = () => ({
  ...{ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds, clock, log: silentLog },
  metrics: makeMetrics('test', '0.0.0'),
});
const releaseHolds = () => makeReleaseHolds(worker())();
const post = (tenant: Tenant, path: string, body: object, as = tenant.token) =>
  world.call('POST', path, { as, key: systemIds.next(), headers: { 'x-project-id': tenant.projectId }, body });
const wish = { sku: sliceSku, gpus: 1, region: testRegion };
const quote = (tenant: Tenant, more: object = {}, as = tenant.token) =>
  post(tenant, '/api/v1/quotes', { ...wish, ...more }, as);
const launch = (tenant: Tenant, more: object = {}, as = tenant.token) =>
  post(tenant, '/api/v1/allocations', { ...wish, ...more }, as);
const poorWords =
  'The balance of the organization does not suffice for this launch. Ask an owner, an administrator or finance.';
const usd = (amount: string) => ({ amount_minor: amount, currency: 'USD' });
async function pay(tenant: Tenant, amount: string) {
  const made = await world.call('POST', `/api/v1/admin/billing/accounts/${tenant.organizationId}/grants`, {
    ...{ as: finance, key: systemIds.next(), body: { ...usd(amount), reason: 'a top-up' } },
  });
  if (made.status !== 201) throw new Error(made.text);
}
async function found(name: string, amount = '100000'): Promise<Tenant> {
  const tenant = await world.found(name);
  if (amount !== '0') await pay(tenant, amount);
  return tenant;
}
const billingOf = (tenant: Tenant, rest: string) => `/api/v1/organizations/${tenant.organizationId}/billing/${rest}`;
const see = async (tenant: Tenant, rest: string) =>
  (await world.call('GET', billingOf(tenant, rest), { as: tenant.token })).body;
const end = (allocationId: string) => failAllocation(world.root, allocationId);
const price = (minor: bigint) => setPrice(world.root, sliceSku, minor);
const charge = (allocationId: string, minor: bigint) => setCharged(world.root, allocationId, minor);

describe('a quote', () => {
  it('says the price, the hold, and what the launch does to balance and runway', async () => {
    const tenant = await found('asks', '1000');
    const made = await quote(tenant, { max_duration_seconds: 7_200 });
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({
      ...{ sku: sliceSku, gpus: 1, affordable: true, why_not: null, hold: usd('450'), budgets: [] },
      price: { per_hour: usd('450') },
      ends: { after_seconds: 7_200, because: 'max_duration', cost: usd('900') },
      account: { balance: usd('1000'), balance_after: usd('550'), runway_seconds: null, runway_seconds_after: 8_000 },
    });
    expect(Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)).toBe(10 * minuteMs);
  });

  it('keeps its price for the launch that uses it, and is used once', async () => {
    const tenant = await found('locks');
    const { body } = await quote(tenant);
    await price(900n);
    try {
      const made = await launch(tenant, { quote_id: body.id });
      expect(made.status, made.text).toBe(201);
      expect(made.body.price).toMatchObject({ unit_price: usd('450'), price_id: body.price.price_id });
      expect((await launch(tenant)).body.price).toMatchObject({ unit_price: usd('900') });
      expect(await launch(tenant, { quote_id: body.id })).toMatchObject({
        ...{ status: 409, body: { code: 'quote_used', details: { allocation_id: made.body.id } } },
      });
    } finally {
      await price(450n);
    }
  });

  it('is used by one of several launches that come at once', async () => {
    const tenant = await found('races');
    const { body } = await quote(tenant);
    const answers = await Promise.all(Array.from({ length: 4 }, () => launch(tenant, { quote_id: body.id })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
  });

  it.each<[string, (tenant: Tenant) => Promise<object>, number, string]>([
    ['that does not exist', async () => ({ quote_id: systemIds.next() }), 404, 'quote_not_found'],
    [
      'of another project',
      async () => ({ quote_id: (await quote(await found(`other-${systemIds.next()}`))).body.id }),
      404,
      'quote_not_found',
    ],
    [
      'for another count',
      async (tenant) => ({ quote_id: (await quote(tenant)).body.id, gpus: 2 }),
      422,
      'quote_mismatch',
    ],
  ])('%s is refused', async (name, more, status, code) => {
    const tenant = await found(`refused-${name.replaceAll(' ', '-')}`);
    expect(await launch(tenant, await more(tenant))).toMatchObject({ status, body: { code } });
  });

  it('is refused when its time is up', async () => {
    const tenant = await found('late');
    const { body } = await quote(tenant);
    aheadMs = 11 * minuteMs;
    const answer = await launch(tenant, { quote_id: body.id });
    aheadMs = 0;
    expect(answer).toMatchObject({ status: 409, body: { code: 'quote_expired' } });
  });

  it('shows the account to those who see it, and the others whether it suffices', async () => {
    const tenant = await found('poor', '0');
    const member = await world.join('a-member', tenant, 'member');
    const answer = await quote(tenant, {}, member);
    expect(answer.body).toMatchObject({ account: null, affordable: false, why_not: poorWords });
    const refused = (await launch(tenant, {}, member)).body;
    expect(refused).toMatchObject({ code: 'insufficient_balance', message: poorWords });
    expect(JSON.stringify(refused.details ?? {})).not.toContain('amount_minor');
    const [asOwner, refusedOwner] = [await quote(tenant), await launch(tenant)];
    expect(asOwner.body.why_not).toContain('4.50 USD is needed');
    expect(asOwner.body.why_not).toContain('Top up');
    expect(refusedOwner.body).toMatchObject({ message: asOwner.body.why_not, details: { needed: usd('450') } });
  });
});

describe('a cap on spending', () => {
  it('ends the allocation with what it pays for, and shows both', async () => {
    const tenant = await found('capped');
    const made = await launch(tenant, { max_spend: usd('100') });
    expect(made.status, made.text).toBe(201);
    // 100 of 450 an hour are 800 seconds.
    expect(made.body).toMatchObject({ max_spend: usd('100'), max_duration_seconds: 800 });
    const shorter = await launch(tenant, { max_spend: usd('100'), max_duration_seconds: 600 });
    expect(shorter.body).toMatchObject({ max_spend: usd('100'), max_duration_seconds: 600 });
    expect((await quote(tenant, { max_spend: usd('100') })).body).toMatchObject({
      ends: { after_seconds: 800, because: 'max_spend', cost: usd('100') },
    });
  });

  it.each<[string, object, number, string]>([
    ['of less than one window', usd('7'), 422, 'max_spend_too_low'],
    ['in another currency', { amount_minor: '1000', currency: 'EUR' }, 409, 'currency_mismatch'],
    ['of nothing', usd('0'), 400, 'validation_error'],
    ['below zero', usd('-5'), 400, 'validation_error'],
    ['in fractions', usd('10.5'), 400, 'validation_error'],
    ['too large for an amount', usd('1000000000000000'), 400, 'validation_error'],
    ['as a number', { amount_minor: 100, currency: 'USD' }, 400, 'validation_error'],
  ])('%s is refused, by launch and quote alike', async (name, max_spend, status, code) => {
    const tenant = await found(`cap-${name.replaceAll(' ', '-')}`);
    expect(await launch(tenant, { max_spend })).toMatchObject({ status, body: { code } });
    expect(await quote(tenant, { max_spend })).toMatchObject({ status, body: { code } });
  });

  it('is kept by the billing-worker when nothing else ended the allocation', async () => {
    const tenant = await found('overspends');
    const { id } = (await launch(tenant, { max_spend: usd('100') })).body;
    await asSystem(world.root, `update allocations set state = 'active', version = version + 1 where id = $1`, [id]);
    const round = () => makeCaps(worker()).round(new AbortController().signal);
    const asked = async () =>
      (
        await world.root.query(
          `select envelope -> 'payload' ->> 'reason' as reason from outbox_events
           where subject = 'provisioning.force_release_requested' and key = $1`,
          [id],
        )
      ).rows;
    await charge(id, 99n);
    await round();
    expect(await asked()).toEqual([]);
    await charge(id, 100n);
    await round();
    expect(await asked()).toEqual([{ reason: 'max_spend' }]);
  });
});

describe('a hold', () => {
  it('is placed by a launch, given back in parts as usage is charged, and never more than was held', async () => {
    const tenant = await found('holds', '2000');
    const { id, name } = (await launch(tenant)).body;
    expect(await see(tenant, 'balance')).toMatchObject({ balance: usd('1550'), held: usd('450') });
    await charge(id, 112n);
    await releaseHolds();
    expect(await see(tenant, 'balance')).toMatchObject({ held: usd('450') });
    await charge(id, 230n);
    await releaseHolds();
    expect(await see(tenant, 'balance')).toMatchObject({ balance: usd('1775'), held: usd('225') });
    await charge(id, 900n);
    await releaseHolds();
    await releaseHolds();
    expect(await see(tenant, 'balance')).toMatchObject({ balance: usd('2000'), held: usd('0') });
    // Each line about a hold names its allocation, as a line about usage does.
    const about = { allocation_id: id, allocation_name: name };
    const grant = { kind: 'grant', allocation_id: null };
    const given = { kind: 'hold_release', ...about };
    expect((await see(tenant, 'ledger')).data).toMatchObject([given, given, { kind: 'hold', ...about }, grant]);
    expect(await see(tenant, 'ledger/verify')).toMatchObject({ ok: true });
  });

  it('is given back when the allocation ends', async () => {
    const tenant = await found('ends', '2000');
    const { id } = (await launch(tenant)).body;
    await end(id);
    await releaseHolds();
    expect(await see(tenant, 'balance')).toMatchObject({ balance: usd('2000'), held: usd('0') });
  });

  it('covers no more than the allocation can cost', async () => {
    const tenant = await found('short', '2000');
    await launch(tenant, { max_spend: usd('100') });
    expect(await see(tenant, 'balance')).toMatchObject({ balance: usd('1900'), held: usd('100') });
  });

  it('counts as money that can be spent: a runway has it', async () => {
    const tenant = await found('lasts', '900');
    const { id } = (await launch(tenant)).body;
    await asSystem(world.root, `update allocations set state = 'active', version = version + 1 where id = $1`, [id]);
    expect(await see(tenant, 'balance')).toMatchObject({ balance: usd('450'), runway_seconds: 7_200 });
  });

  it('lets two launches that come at once spend a balance once', async () => {
    const tenant = await found('twice', '450');
    const answers = await Promise.all([launch(tenant), launch(tenant)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 402]);
    expect(await see(tenant, 'balance')).toMatchObject({ balance: usd('0'), held: usd('450') });
  });

  it('is not placed where the launch is refused', async () => {
    const tenant = await found('refused', '2000');
    expect(
      (await launch(tenant, { gpus: 8, region: testRegion, max_duration_seconds: 60, sku: 'nothing' })).status,
    ).toBe(404);
    expect(await see(tenant, 'balance')).toMatchObject({ balance: usd('2000'), held: usd('0') });
  });
});

describe('a budget', () => {
  const budget = (tenant: Tenant, body: object, as = tenant.token) =>
    world.call('POST', billingOf(tenant, 'budgets'), {
      ...{ as, key: systemIds.next(), body: { name: 'Budget', currency: 'USD', scope: 'organization', ...body } },
    });
  /** Pretends that so much was charged today in the project of a tenant. */
  const used = (tenant: Tenant, minor: bigint, resource = systemIds.next()) =>
    asSystem(
      world.root,
      `insert into usage_days (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by, quantity_ms,
         amount_minor, windows)
       values ($1, $2, (now() at time zone 'UTC')::date, $3, 'gpu_time', $4, $5, 'USD', 'somebody', 1, $6, 1)`,
      [systemIds.next(), tenant.organizationId, resource, tenant.projectId, sliceSku, minor],
    );
  const watch = () => makeBudgets(worker()).round(new AbortController().signal);
  const told = async (tenant: Tenant) =>
    (
      await world.root.query(
        `select envelope -> 'payload' as payload from outbox_events
         where subject = 'billing.budget_threshold_reached' and organization_id = $1 order by position`,
        [tenant.organizationId],
      )
    ).rows.map(({ payload }) => payload);

  it('with a hard threshold refuses launches and says everything that it counts', async () => {
    const tenant = await found('hard');
    const made = await budget(tenant, { hard_minor: '1000' });
    expect(made.status, made.text).toBe(201);
    await used(tenant, 200n);
    expect((await launch(tenant)).status).toBe(201);
    const refused = await launch(tenant);
    expect(refused).toMatchObject({
      status: 402,
      body: {
        code: 'budget_exceeded',
        details: { charged: usd('200'), held: usd('450'), launch: usd('450'), counted: usd('1100'), hard: usd('1000') },
      },
    });
    expect(refused.body.message).toContain('2.00 USD charged, 4.50 USD held for orders, 4.50 USD for this launch');
    expect((await quote(tenant)).body).toMatchObject({
      ...{ affordable: false, budgets: [{ id: made.body.id, blocks: true, counted: usd('1100') }] },
    });
  });

  it('of the organization refuses a member without saying what it counts', async () => {
    const tenant = await found('hard-for-members');
    const member = await world.join('c-member', tenant, 'member');
    await budget(tenant, { name: 'Board secret', hard_minor: '777' });
    await used(tenant, 700n);
    const words =
      'A budget for the organization does not allow this launch. Ask an owner, an administrator or finance.';
    const refused = await launch(tenant, {}, member);
    expect(refused).toMatchObject({ status: 402, body: { code: 'budget_exceeded', message: words } });
    expect(Object.keys(refused.body.details).sort()).toEqual(['period', 'scope']);
    expect((await quote(tenant, {}, member)).body).toMatchObject({ affordable: false, why_not: words, budgets: [] });
    expect((await quote(tenant)).body.why_not).toContain(
      'The budget "Board secret" for the organization allows 7.77 USD',
    );
  });

  it('with a hard threshold refuses extensions as it refuses launches', async () => {
    const tenant = await found('longer');
    const member = await world.join('d-member', tenant, 'member');
    const id = await putAllocation(world.root, tenant, 'active');
    const extend = (as = tenant.token) => post(tenant, `/api/v1/allocations/${id}/extend`, { seconds: 600 }, as);
    await budget(tenant, { hard_minor: '1000' });
    const allowed = await extend();
    expect(allowed.status, allowed.text).toBe(200);
    await used(tenant, 1_000n);
    const refused = await extend();
    expect(refused).toMatchObject({
      ...{ status: 402, body: { code: 'budget_exceeded', details: { charged: usd('1000'), hard: usd('1000') } } },
    });
    expect(refused.body.message).toContain('for this extension');
    expect((await extend(member)).body.message).toBe(
      'A budget for the organization does not allow this extension. Ask an owner, an administrator or finance.',
    );
    const shown = await world.call('GET', `/api/v1/allocations/${id}`, { as: tenant.token });
    expect(shown.body.expires_at).toBe(allowed.body.expires_at);
  });

  it('is one of so many as the policy allows, also when several are created at once', async () => {
    const tenant = await found('many', '0');
    const few = await openWorld({ beside: world, policies: { 'billing.max_budgets_per_organization': 3 } });
    try {
      const tag = (n: number) =>
        few.call('POST', billingOf(tenant, 'budgets'), {
          ...{ as: tenant.token, key: systemIds.next() },
          body: { name: 'Budget', currency: 'USD', scope: 'tag', subject: `team=${n}`, hard_minor: '100' },
        });
      const answers = await Promise.all([1, 2, 3, 4, 5].map(tag));
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 201, 409, 409]);
      expect(await tag(6)).toMatchObject({ body: { code: 'budget_limit_reached', details: { limit: 3 } } });
      expect((await see(tenant, 'budgets')).data).toHaveLength(3);
    } finally {
      await few.close();
    }
  });

  it('with a soft threshold refuses nothing, and is told once a month', async () => {
    const tenant = await found('soft');
    await budget(tenant, { soft_minor: '100', hard_minor: '5000' });
    await watch();
    expect(await told(tenant)).toEqual([]);
    await used(tenant, 150n);
    await watch();
    await watch();
    expect(await told(tenant)).toMatchObject([
      {
        threshold: 'soft',
        threshold_minor: '100',
        spent_minor: '150',
        currency: 'USD',
        scope: 'organization',
        subject_id: null,
      },
    ]);
    expect((await launch(tenant)).status).toBe(201);
    await used(tenant, 5_000n);
    await watch();
    expect((await told(tenant)).map(({ threshold }) => threshold)).toEqual(['soft', 'hard']);
    expect((await see(tenant, 'budgets')).data).toMatchObject([{ state: 'hard_reached', spent: usd('5150') }]);
    aheadMs = 40 * 24 * hourMs;
    await watch();
    aheadMs = 0;
    expect(await told(tenant)).toHaveLength(2);
  });

  it('counts what runs where nobody pays ahead: launches at once cannot pass it together', async () => {
    const later = await openWorld({
      beside: world,
      policies: { 'billing.enforce_balance': false, 'billing.minimum_runway_minutes': 60 },
    });
    try {
      const tenant = await later.found('invoiced');
      const at = (more: object = {}) =>
        later.call('POST', '/api/v1/allocations', {
          ...{ as: tenant.token, key: systemIds.next(), headers: { 'x-project-id': tenant.projectId } },
          body: { ...wish, ...more },
        });
      const made = await later.call('POST', billingOf(tenant, 'budgets'), {
        ...{ as: tenant.token, key: systemIds.next() },
        body: { name: 'Invoiced', currency: 'USD', scope: 'organization', hard_minor: '1000' },
      });
      expect(made.status, made.text).toBe(201);
      const statuses = (await Promise.all([at(), at(), at(), at()])).map(({ status }) => status);
      expect(statuses.sort((a, b) => a - b)).toEqual([201, 201, 402, 402]);
      expect((await at()).body).toMatchObject({
        ...{ code: 'budget_exceeded', details: { charged: usd('0'), held: usd('900'), counted: usd('1350') } },
      });
    } finally {
      await later.close();
    }
  });

  it('for a tag keeps the tag on what runs, unless a person who sees to the account takes it off', async () => {
    const tenant = await found('tagged');
    const member = await world.join('t-member', tenant, 'member');
    await budget(tenant, { scope: 'tag', subject: 'team=red', hard_minor: '500' });
    const made = await launch(tenant, { tags: { team: 'red', note: 'x' } }, member);
    expect(made.status, made.text).toBe(201);
    const change = (tags: object, as: string) =>
      world.call('PATCH', `/api/v1/allocations/${made.body.id}`, {
        ...{ as, key: systemIds.next(), headers: { 'x-project-id': tenant.projectId }, body: { tags } },
      });
    for (const tags of [{}, { team: 'blue' }, { note: 'x' }]) {
      expect(await change(tags, member)).toMatchObject({ status: 409, body: { code: 'budget_tag_locked' } });
    }
    expect((await change({ team: 'red', note: 'y' }, member)).status).toBe(200);
    expect((await launch(tenant, { tags: { team: 'red' } }, member)).body).toMatchObject({ code: 'budget_exceeded' });
    expect((await change({ team: 'blue' }, tenant.token)).status).toBe(200);
    expect((await launch(tenant, { tags: { team: 'red' } }, member)).status).toBe(201);
  });

  it('for a project, a person or a tag counts what belongs to it alone', async () => {
    const tenant = await found('parts');
    const other = {
      ...tenant,
      projectId: (
        await post(tenant, `/api/v1/organizations/${tenant.organizationId}/projects`, { name: 'Other', slug: 'other' })
      ).body.id,
    };
    const me = (await world.call('GET', '/api/v1/me', { as: tenant.token })).body.id;
    await budget(tenant, { scope: 'project', subject: tenant.projectId, hard_minor: '100' });
    expect((await launch(tenant)).body).toMatchObject({ code: 'budget_exceeded' });
    expect((await launch(other)).status).toBe(201);
    await budget(tenant, { scope: 'tag', subject: 'team=red', hard_minor: '100' });
    expect((await launch(other, { tags: { team: 'red' } })).body).toMatchObject({ code: 'budget_exceeded' });
    expect((await launch(other, { tags: { team: 'blue' } })).status).toBe(201);
    await budget(tenant, { scope: 'user', subject: me, hard_minor: '100' });
    expect((await launch(other)).body).toMatchObject({ code: 'budget_exceeded', details: { scope: 'user' } });
  });

  it.each<[string, object, number, string]>([
    ['without a threshold', {}, 422, 'budget_invalid'],
    ['whose soft threshold is above the hard one', { soft_minor: '2', hard_minor: '1' }, 422, 'budget_invalid'],
    ['in another currency', { hard_minor: '100', currency: 'EUR' }, 409, 'currency_mismatch'],
    ['of nothing', { hard_minor: '0' }, 400, 'validation_error'],
    ['below zero', { hard_minor: '-1' }, 400, 'validation_error'],
    ['in fractions', { hard_minor: '1.5' }, 400, 'validation_error'],
    ['too large for an amount', { hard_minor: '1000000000000000' }, 400, 'validation_error'],
    [
      'for a project of somebody else',
      { hard_minor: '1', scope: 'project', subject: systemIds.next() },
      404,
      'project_not_found',
    ],
    ['for a stranger', { hard_minor: '1', scope: 'user', subject: systemIds.next() }, 404, 'member_not_found'],
    ['for a tag without a value', { hard_minor: '1', scope: 'tag', subject: 'team' }, 422, 'budget_invalid'],
    ['for a project that is not named', { hard_minor: '1', scope: 'project' }, 422, 'budget_invalid'],
  ])('%s is refused', async (name, body, status, code) => {
    const tenant = await found(`budget-${name.replaceAll(' ', '-')}`, '0');
    expect(await budget(tenant, body)).toMatchObject({ status, body: { code } });
  });

  it('is changed and removed by those who may, once for each subject', async () => {
    const tenant = await found('changes');
    const member = await world.join('b-member', tenant, 'member');
    expect((await budget(tenant, { hard_minor: '1' }, member)).status).toBe(403);
    const { id } = (await budget(tenant, { hard_minor: '1' })).body;
    expect(await budget(tenant, { hard_minor: '2' })).toMatchObject({ body: { code: 'budget_already_exists' } });
    const change = (body: object) =>
      world.call('PATCH', billingOf(tenant, `budgets/${id}`), { as: tenant.token, key: systemIds.next(), body });
    expect(await change({ hard_minor: null })).toMatchObject({ body: { code: 'budget_invalid' } });
    expect(await change({ version: 7, name: 'X' })).toMatchObject({ body: { code: 'version_conflict' } });
    expect(await change({ soft_minor: '5', hard_minor: '50', name: 'Changed' })).toMatchObject({
      ...{ status: 200, body: { name: 'Changed', soft: usd('5'), hard: usd('50'), version: 2 } },
    });
    const remove = () =>
      world.call('DELETE', billingOf(tenant, `budgets/${id}`), { as: tenant.token, key: systemIds.next() });
    expect((await remove()).status).toBe(200);
    expect(await remove()).toMatchObject({ status: 404, body: { code: 'budget_not_found' } });
    expect((await see(tenant, 'budgets')).data).toEqual([]);
  });
});
