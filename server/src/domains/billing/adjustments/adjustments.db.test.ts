import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { sliceSku, stockFleet, testRegion } from '../../allocations/testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let [first, second] = ['', ''];

beforeAll(async () => {
  world = await openWorld({ policies: { 'rate_limit.financial_requests_per_minute': 100_000 } });
  [first, second] = [await world.operator('finance-one'), await world.operator('finance-two')];
  const fleet = await stockFleet(world.root);
  for (let n = 0; n < 3; n += 1) await fleet.addNode();
});
afterAll(() => world?.close());

const post = (path: string, body: object, as: string) => world.call('POST', path, { as, key: systemIds.next(), body });
const accounts = (tenant: Tenant) => `/api/v1/admin/billing/accounts/${tenant.organizationId}`;
const usd = (amount_minor: string) => ({ amount_minor, currency: 'USD' });
async function grant(tenant: Tenant, amount = '50000'): Promise<string> {
  const made = await post(`${accounts(tenant)}/grants`, { ...usd(amount), reason: 'a welcome' }, first);
  expect(made.status, made.text).toBe(201);
  return made.body.id as string;
}
/** A day of usage with one window, as the ledger has it. */
async function use(tenant: Tenant, amount: bigint): Promise<string> {
  const [line, window, resource] = [systemIds.next(), systemIds.next(), systemIds.next()];
  await asSystem(
    world.root,
    `with w as (insert into usage_windows (id, organization_id, project_id, resource_id, meter, sku, requested_by, currency, unit,
         from_at, to_at, quantity_ms, rate_micro, exact, charged_minor, amount_minor, evidence)
       values ($2, $4, $5, $3, 'gpu_time', 'x', 'x', 'USD', 'gpu_hour', now(), now() + interval '1 minute', 1, 1, $6::numeric * 3600000000000, $6, $6, sha256('x'))),
     e as (insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id,
         project_id, document)
       values ($2, $4, 'USD', 'usage', '{customer,revenue}', array[-$6::bigint, $6::bigint], 'x', 'x', $5, sha256('x')))
     insert into usage_days (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by,
       quantity_ms, amount_minor, windows)
     values ($1, $4, (now() at time zone 'UTC')::date, $3, 'gpu_time', $5, 'x', 'USD', 'x', 1, $6, 1)`,
    [line, window, resource, tenant.organizationId, tenant.projectId, amount],
  );
  return line;
}
const adjust = (tenant: Tenant, corrects: string, amount: string, as = first) =>
  post(`${accounts(tenant)}/adjustments`, { ...usd(amount), corrects, reason: 'a slow disk' }, as);
const decide = (id: string, what: 'approve' | 'reject', as: string, body: object = {}) =>
  post(`/api/v1/admin/billing/adjustments/${id}/${what}`, body, as);
const balance = async (tenant: Tenant) =>
  (await world.call('GET', `/api/v1/organizations/${tenant.organizationId}/billing/balance`, { as: tenant.token })).body
    .balance.amount_minor;

describe('an adjustment', () => {
  it('begins with the ledger of the organization, which finance reads line by line', async () => {
    const [tenant, other] = [await world.found('seen'), await world.found('unseen')];
    const [credit, line] = [await grant(tenant), await use(tenant, 3_000n)];
    await grant(other);
    const read = (path: string, as: string) => world.call('GET', path, { as });
    const seen = await read(`${accounts(tenant)}/ledger`, first);
    expect(seen.status, seen.text).toBe(200);
    const own = await read(`/api/v1/organizations/${tenant.organizationId}/billing/ledger`, tenant.token);
    expect(seen.body.data).toEqual(own.body.data);
    expect(seen.body.data.map(({ id }: { id: string }) => id).toSorted()).toEqual([credit, line].toSorted());
    expect((await adjust(tenant, seen.body.data[0].id, '100')).status).toBe(201);
    expect((await read(`${accounts(tenant)}/ledger`, tenant.token)).status).toBe(403);
    const nobody = { ...tenant, organizationId: systemIds.next() };
    expect((await read(`${accounts(nobody)}/ledger`, first)).body).toMatchObject({ code: 'organization_not_found' });
  });

  it('is not made by one person in parts over many accounts: a day has a limit for all corrections', async () => {
    const lax = world;
    world = await openWorld({ beside: world, policies: { 'billing.adjustment_total_limit_minor': 15_000 } });
    try {
      const corrector = await world.operator('corrector');
      const tenants = [await world.found('all-one'), await world.found('all-two'), await world.found('all-three')];
      const [one, two, three] = tenants as [Tenant, Tenant, Tenant];
      for (const tenant of tenants) await grant(tenant);
      const lines = [await use(one, 10_000n), await use(two, 10_000n), await use(three, 10_000n)] as const;
      const entered = async (tenant: Tenant, line: string, amount: string, as = corrector) =>
        (await adjust(tenant, line, amount, as)).body.needs_approval === false;
      expect(await entered(one, lines[0], '10000')).toBe(true);
      expect(await entered(two, lines[1], '5001')).toBe(false);
      expect(await entered(two, lines[1], '100', second)).toBe(true);
      // Both at once: one of them is within the limit.
      const both = await Promise.all([entered(two, lines[1], '4800'), entered(three, lines[2], '5000')]);
      expect(both.filter((each) => each)).toHaveLength(1);
    } finally {
      await world.close();
      world = lax;
    }
  });

  it('below the limit is entered at once, against what it corrects', async () => {
    const tenant = await world.found('small');
    await grant(tenant);
    const line = await use(tenant, 3_000n);
    const made = await adjust(tenant, line, '2500');
    expect(made).toMatchObject({ status: 201, body: { state: 'entered', needs_approval: false, corrects: line } });
    expect(await balance(tenant)).toBe('49500');
    const { rows } = await world.root.query('select kind, accounts[2] as against from ledger_entries where id = $1', [
      made.body.entry_id,
    ]);
    expect(rows).toEqual([{ kind: 'correction', against: 'revenue' }]);
  });

  it('above the limit waits for another person, and is entered once', async () => {
    const tenant = await world.found('large');
    const line = await grant(tenant);
    const { body } = await adjust(tenant, line, '-20000');
    expect(body).toMatchObject({ state: 'waiting', needs_approval: true, entry_id: null });
    expect(await balance(tenant)).toBe('50000');
    expect((await decide(body.id, 'approve', first)).body.code).toBe('second_person_required');
    const both = await Promise.all([decide(body.id, 'approve', second), decide(body.id, 'approve', second)]);
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    expect(await balance(tenant)).toBe('30000');
    expect((await decide(body.id, 'reject', second, { note: 'late' })).body.code).toBe('adjustment_decided');
    const audit = await world.root.query(
      `select action from audit_logs where target_id = $1 and result = 'success' order by action`,
      [body.id],
    );
    expect(audit.rows).toEqual([{ action: 'adjustment.approve' }, { action: 'adjustment.create' }]);
  });

  it('cannot be split into small ones by one person', async () => {
    const tenant = await world.found('split');
    const line = await grant(tenant);
    expect((await adjust(tenant, line, '-6000')).body.state).toBe('entered');
    expect((await adjust(tenant, line, '-6000')).body.state).toBe('waiting');
    expect((await adjust(tenant, line, '-6000', second)).body.state).toBe('entered');
  });

  it('can be rejected or expire, and is found by its state', async () => {
    const tenant = await world.found('rejected');
    const line = await grant(tenant);
    const [one, two] = [(await adjust(tenant, line, '-11000')).body.id, (await adjust(tenant, line, '-11000')).body.id];
    expect((await decide(one, 'reject', first, { note: 'a mistake' })).body).toMatchObject({
      ...{ state: 'rejected', decision_note: 'a mistake' },
    });
    await asSystem(
      world.root,
      `update billing_adjustments set expires_at = now() - interval '1 minute' where id = $1`,
      [two],
    );
    expect((await decide(two, 'approve', second)).body.code).toBe('adjustment_decided');
    for (const [state, id] of [
      ['rejected', one],
      ['expired', two],
    ]) {
      const path = `/api/v1/admin/billing/adjustments?state=${state}&organization_id=${tenant.organizationId}`;
      expect((await world.call('GET', path, { as: first })).body.data).toMatchObject([{ id, state }]);
    }
    expect((await decide(systemIds.next(), 'approve', second)).body.code).toBe('adjustment_not_found');
    expect(await balance(tenant)).toBe('50000');
  });

  it('never charges usage, never gives back more than the line, and names a line of this account', async () => {
    const tenant = await world.found('wrong');
    const [line, usage] = [await grant(tenant), await use(tenant, 300n)];
    const refused = async (corrects: string, amount: string) => (await adjust(tenant, corrects, amount)).body.code;
    expect(await refused(usage, '-100')).toBe('adjustment_invalid');
    expect(await refused(usage, '301')).toBe('adjustment_invalid');
    expect(await refused(line, '100')).toBe('adjustment_invalid');
    expect(await refused(line, '-50001')).toBe('adjustment_invalid');
    expect(await refused(systemIds.next(), '100')).toBe('ledger_line_not_found');
    const made = await adjust(tenant, usage, '200');
    expect(made.body.state).toBe('entered');
    expect(await refused(usage, '101')).toBe('adjustment_invalid');
    expect(await refused(made.body.entry_id, '1')).toBe('adjustment_invalid');
  });
});

describe('a negotiated price', () => {
  const wish = { sku: sliceSku, gpus: 1, region: testRegion };
  const inProject = (tenant: Tenant, path: string, body: object) =>
    world.call('POST', path, {
      ...{ as: tenant.token, key: systemIds.next(), headers: { 'x-project-id': tenant.projectId }, body },
    });
  const priceOf = async (tenant: Tenant) => (await inProject(tenant, '/api/v1/quotes', wish)).body.price;
  const add = (tenant: Tenant, price: string, more: object = {}) =>
    post(
      `${accounts(tenant)}/prices`,
      { sku: sliceSku, unit_price_minor: price, currency: 'USD', reason: 'offer 12', ...more },
      first,
    );

  it('is what quotes and launches of its organization pay, until it ends; what runs keeps its price', async () => {
    const [tenant, other] = [await world.found('partner'), await world.found('everybody')];
    const list = await priceOf(tenant);
    const made = await add(tenant, '7');
    expect(made, made.text).toMatchObject({ status: 201, body: { state: 'current', list_price: list.unit_price } });
    expect(await priceOf(tenant)).toMatchObject({ price_id: made.body.id, unit_price: { amount_minor: '7' } });
    expect(await priceOf(other)).toEqual(list);
    const launched = await inProject(tenant, '/api/v1/allocations', { ...wish, name: 'cheap' });
    expect(launched.status, launched.text).toBeLessThan(300);
    const rows = async () =>
      (
        await world.root.query(
          'select price_id, unit_price_minor::text as price from allocations where organization_id = $1',
          [tenant.organizationId],
        )
      ).rows;
    expect(await rows()).toEqual([{ price_id: made.body.id, price: '7' }]);
    const ended = await post(`${accounts(tenant)}/prices/${made.body.id}/end`, {}, first);
    expect(ended.body).toMatchObject({ state: 'past' });
    expect(await priceOf(tenant)).toEqual(list);
    expect(await rows()).toEqual([{ price_id: made.body.id, price: '7' }]);
    const shown = await world.call('GET', `/api/v1/organizations/${tenant.organizationId}/billing/prices`, {
      as: tenant.token,
    });
    expect(shown.body.data).toMatchObject([{ id: made.body.id, state: 'past', reason: 'offer 12' }]);
  });

  it('of the region goes before the one of all regions, and the one that began last before the others', async () => {
    const tenant = await world.found('regions');
    await add(tenant, '9');
    const regional = await add(tenant, '8', { region: testRegion });
    await add(tenant, '6');
    expect(await priceOf(tenant)).toMatchObject({ price_id: regional.body.id, unit_price: { amount_minor: '8' } });
  });

  it('is refused for the past, for another currency, and for what is not on offer', async () => {
    const tenant = await world.found('refused');
    const code = async (more: object) => (await add(tenant, '5', more)).body.code;
    expect(await code({ currency: 'EUR' })).toBe('currency_mismatch');
    expect(await code({ sku: 'nothing' })).toBe('sku_not_found');
    expect(await code({ region: 'nowhere' })).toBe('region_not_found');
    expect(await code({ effective_from: '2020-01-01T00:00:00Z' })).toBe('price_backdated');
    expect(await code({ effective_to: '2020-01-01T00:00:00Z' })).toBe('period_invalid');
    const from = { effective_from: '2099-01-01T00:00:00Z' };
    const future = await add(tenant, '5', from);
    expect(future.body.state).toBe('future');
    expect(await code(from)).toBe('price_already_exists');
    expect((await post(`${accounts(tenant)}/prices/${systemIds.next()}/end`, {}, first)).body.code).toBe(
      'price_not_found',
    );
    expect((await post(`${accounts(tenant)}/prices/${future.body.id}/end`, {}, first)).body.code).toBe(
      'period_invalid',
    );
  });

  it('does not help while an invoice is past due', async () => {
    const tenant = await world.found('past-due');
    const document = systemIds.next();
    await asSystem(
      world.root,
      `insert into billing_documents (id, organization_id, currency, kind, number, issued_at, period_from, period_to, tax_minor,
         total_minor, content, content_sha256, renderer, pdf_sha256)
       values ($1, $2, 'USD', 'statement', 'IN-7', '2026-02-01', '2026-01-01', '2026-02-01', 0, 100, 'x',
         sha256('x'), 'x', sha256('x'))`,
      [document, tenant.organizationId],
    );
    const invoice = systemIds.next();
    await asSystem(
      world.root,
      `insert into invoices (id, organization_id, currency, period_from, period_to, net_minor, tax_minor, finalise_at)
       values ($1, $2, 'USD', '2026-01-01', '2026-02-01', 100, 0, now())`,
      [invoice, tenant.organizationId],
    );
    const move = (state: string, due: string) =>
      asSystem(
        world.root,
        `update invoices set state = $2, document_id = $3, due_at = now() - $4::interval, version = version + 1 where id = $1`,
        [invoice, state, document, due],
      );
    await move('final', '8 days');
    expect((await inProject(tenant, '/api/v1/quotes', wish)).body.why_not).toBeNull();
    await move('past_due', '6 days');
    expect((await inProject(tenant, '/api/v1/quotes', wish)).body.why_not).toBeNull();
    await asSystem(
      world.root,
      `update invoices set due_at = now() - interval '8 days', version = version + 1 where id = $1`,
      [invoice],
    );
    expect((await inProject(tenant, '/api/v1/quotes', wish)).body.why_not).toContain('IN-7');
    const refused = await inProject(tenant, '/api/v1/allocations', { ...wish, name: 'unpaid' });
    expect(refused).toMatchObject({ status: 402, body: { code: 'invoice_past_due', details: { invoice: 'IN-7' } } });
    const member = await world.join('past-due-member', tenant, 'member');
    const seen = await world.call('POST', '/api/v1/allocations', {
      ...{ as: member, key: systemIds.next(), headers: { 'x-project-id': tenant.projectId } },
      body: { ...wish, name: 'unpaid' },
    });
    expect(seen.body).toMatchObject({ code: 'invoice_past_due' });
    expect(seen.body.details).toBeUndefined();
  });
});

describe('credit above the limit', () => {
  const give = (tenant: Tenant, amount: string, as = first) =>
    post(`${accounts(tenant)}/grants`, { ...usd(amount), reason: 'a research grant' }, as);
  const ask = (tenant: Tenant, amount: string, as = first) =>
    post(`${accounts(tenant)}/adjustments`, { ...usd(amount), reason: 'a research grant' }, as);
  let strict: World;
  beforeAll(async () => {
    strict = await openWorld({ beside: world, policies: { 'billing.grant_limit_minor': 100_000 } });
  });
  afterAll(() => strict?.close());
  const within = async <T>(work: () => Promise<T>): Promise<T> => {
    const lax = world;
    world = strict;
    try {
      return await work();
    } finally {
      world = lax;
    }
  };

  it('is not given by one person, neither at once nor in parts of a day', () =>
    within(async () => {
      const tenant = await world.found('alone');
      expect(await give(tenant, '100001')).toMatchObject({ status: 403, body: { code: 'second_person_required' } });
      expect((await give(tenant, '60000')).status).toBe(201);
      const [refused, other] = [await give(tenant, '40001'), await give(tenant, '40001', second)];
      expect([refused.body.code, other.status]).toEqual(['second_person_required', 201]);
      expect(await balance(tenant)).toBe('100001');
    }));

  it('waits for a second person, is given once, and expires as other credit does', () =>
    within(async () => {
      const tenant = await world.found('two-people');
      const made = await ask(tenant, '500000');
      expect(made).toMatchObject({ status: 201, body: { state: 'waiting', needs_approval: true, corrects: null } });
      expect(await balance(tenant)).toBe('0');
      expect((await decide(made.body.id, 'approve', first)).body.code).toBe('second_person_required');
      const done = await decide(made.body.id, 'approve', second);
      expect(done).toMatchObject({ status: 200, body: { state: 'entered' } });
      expect((await decide(made.body.id, 'approve', second)).body.code).toBe('adjustment_decided');
      expect(await balance(tenant)).toBe('500000');
      const { rows } = await world.root.query(
        `select l.kind, g.expires_at is not null as expires from ledger_entries l join credit_grants g on g.id = l.id where l.id = $1`,
        [done.body.entry_id],
      );
      expect(rows).toEqual([{ kind: 'grant', expires: true }]);
      // What two people gave is not what one of them gave alone.
      expect((await give(tenant, '100000', second)).status).toBe(201);
    }));

  it('is not given by one person in parts over many accounts: a day has a limit for all of them', async () => {
    const lax = world;
    world = await openWorld({ beside: world, policies: { 'billing.grant_total_limit_minor': 150_000 } });
    try {
      const giver = await world.operator('finance');
      const tenants = [await world.found('part-one'), await world.found('part-two'), await world.found('part-three')];
      const [one, two, three] = tenants as [Tenant, Tenant, Tenant];
      expect((await give(one, '100000', giver)).status).toBe(201);
      const beyond = await give(two, '50001', giver);
      expect(beyond).toMatchObject({ status: 403, body: { code: 'second_person_required' } });
      expect(beyond.text).toContain('billing.grant_total_limit_minor');
      expect((await ask(two, '50001', giver)).body).toMatchObject({ state: 'waiting', needs_approval: true });
      // Both at once: one of them is within the limit.
      const both = await Promise.all([give(two, '50000', giver), give(three, '50000', giver)]);
      expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403]);
    } finally {
      await world.close();
      world = lax;
    }
  });

  it('ends when its request says, and not in the past; a correction has no end', () =>
    within(async () => {
      const tenant = await world.found('own-end');
      const path = `${accounts(tenant)}/adjustments`;
      const end = '2031-05-01T00:00:00.000Z';
      const made = await post(path, { ...usd('500000'), reason: 'a grant', credit_expires_at: end }, first);
      expect(made.body).toMatchObject({ state: 'waiting', credit_expires_at: end });
      const done = await decide(made.body.id, 'approve', second);
      const { rows } = await world.root.query('select expires_at from credit_grants where id = $1', [
        done.body.entry_id,
      ]);
      expect(rows).toEqual([{ expires_at: new Date(end) }]);
      const past = { ...usd('5'), reason: 'a grant', credit_expires_at: '2020-01-01T00:00:00Z' };
      expect((await post(path, past, first)).body.code).toBe('adjustment_invalid');
      const wrong = { ...usd('-5'), reason: 'taken back', credit_expires_at: end, corrects: done.body.entry_id };
      expect((await post(path, wrong, first)).body.code).toBe('adjustment_invalid');
    }));

  it('has the bounds of every grant, and gives nothing when it is rejected', () =>
    within(async () => {
      const tenant = await world.found('bounds');
      for (const amount of ['1000001', '-5']) expect((await ask(tenant, amount)).body.code).toBe('adjustment_invalid');
      const made = await ask(tenant, '200000');
      expect((await decide(made.body.id, 'reject', second, { note: 'not now' })).body.state).toBe('rejected');
      expect(await balance(tenant)).toBe('0');
    }));
});
