import { readFileSync } from 'node:fs';
import { policies as definitions } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf, makeAct, systemViewer } from '../../kernel/act.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { dayMs, hourMs, minuteMs } from '../../kernel/units.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeAccrue } from '../billing/accrual.ts';
import { storeEvidence } from '../billing/evidence-store.ts';
import { microPerMinor } from '../billing/facts.ts';
import { enter } from '../billing/index.ts';
import { makeLeases } from '../billing/testing.ts';
import type { Policies } from '../policy/index.ts';
import { readUsageLines } from './ledger-lines-store.ts';
import { renderer } from './pdf.ts';
import { makeDocumentCheck, makeInvoicing, makeIssue } from './work.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let now = Date.parse('2026-04-10T22:00:00.000Z');
const clock: Clock = { ...systemClock, now: () => new Date(now) };
const to = (at: string) => {
  now = Date.parse(at);
};
let world: World;
let billing: DatabasePort;
const policies = {
  value: (key: string) =>
    key === 'billing.invoice_monthly' ? true : definitions.find((each) => each.key === key)?.default,
} as unknown as Policies;
Object.assign(policies, { number: policies.value });
let prepaid: Tenant;
let contract: Tenant;
let leases: Awaited<ReturnType<typeof makeLeases>>;
const metrics = makeMetrics('test', '0.0.0');

beforeAll(async () => {
  world = await openWorld({ clock, policies: { 'rate_limit.financial_requests_per_minute': 100_000 } });
  billing = await openPostgres({
    ...{ url: world.schema.as('gpuaas_billing'), clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 },
  });
  await world.operator('finance');
  [prepaid, contract] = [await world.found('prepaid'), await world.found('contract')];
  leases = await makeLeases(world.root);
});
afterAll(async () => {
  await billing.close();
  await world.close();
});

const worker = () => ({
  ...{ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds, clock, log: silentLog },
  ...{ metrics, policies },
});
const never = new AbortController().signal;
async function work(): Promise<void> {
  while ((await makeIssue(worker()).round(never)) === 'more');
  while ((await makeInvoicing(worker()).round(never)) === 'more');
}
/** Months pass here: each request has a token of its time. */
const ask = async (tenant: Tenant, rest: string, subject = tenant.subject) =>
  world.call('GET', `/api/v1/organizations/${tenant.organizationId}/billing/${rest}`, {
    as: await world.token(subject),
  });
const asFinance = async (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/admin/billing/${path}`, {
    as: await world.token('finance'),
    key: systemIds.next(),
    body,
  });
const documents = async (tenant: Tenant, kind?: string) =>
  (await ask(tenant, `documents${kind ? `?kind=${kind}` : ''}`)).body.data as {
    id: string;
    number: string;
    state: string;
    total: { amount_minor: string };
    tax: { amount_minor: string };
  }[];
const invoices = async (state?: string) =>
  (await asFinance('GET', `invoices${state ? `?state=${state}` : ''}`)).body.data;
async function put(tenant: Tenant, amount: bigint, tax = 0n): Promise<void> {
  const act = makeAct(systemViewer('api', { correlationId: systemIds.next() }), 'test.put', systemIds.next());
  await world.database.database.write(act, async (tx) => {
    const id = systemIds.next();
    await enter(tx, { id, organizationId: tenant.organizationId, kind: 'top_up', amount, tax }, act);
    return tx.commit(undefined, { target: { type: 'ledger_entry', id }, events: 'none' });
  });
}
/** Four hours of one GPU for 4.50 each, charged now. */
async function use(tenant: Tenant): Promise<void> {
  const begun = now - 5 * hourMs;
  const lease = await leases.lease(tenant, { takenAt: new Date(begun), unitPriceMinor: 450n });
  const act = makeAct(systemViewer('api', { correlationId: systemIds.next() }), 'test.use', systemIds.next());
  await world.database.database.write(act, async (tx) => {
    const rows = [0, 1, 2, 3].map((n) => ({
      ...{
        node_id: lease.nodeId,
        allocation_id: lease.allocationId,
        generation: 1,
        gpus: lease.gpus,
        result_key: 'k',
        speed: 1,
      },
      ...{ n, sequence: n + 1, final: n === 3, record: `${lease.allocationId} ${n}` },
      from_at: new Date(begun + n * 60 * minuteMs).toISOString(),
      to_at: new Date(begun + (n + 1) * 60 * minuteMs).toISOString(),
    }));
    return tx.commit(await storeEvidence(tx, rows, { microPerMinor, aheadMs: 0, now: new Date(now), speed: 1 }), {
      ...{ target: { type: 'usage', id: 'x' }, events: 'none' },
    });
  });
  const accrue = makeAccrue({
    ...{ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds },
    time: async () => new Date(now),
  });
  while (await accrue(3_600));
}

describe('documents about money', () => {
  it('carry the details that were set, and keep them when they change', async () => {
    const party = { legal_name: 'GPU Cloud GmbH', address_lines: ['Weg 1'], postal_code: '53111', city: 'Bonn' };
    expect((await asFinance('PUT', 'seller', { ...party, country: 'DE', tax_id: 'DE123456788' })).status).toBe(200);
    const details = { ...party, legal_name: 'Zażółć Łódź', country: 'PL', tax_id: null, customer_type: 'consumer' };
    const set = await world.call('PUT', `/api/v1/organizations/${contract.organizationId}/billing/details`, {
      ...{ as: contract.token, key: systemIds.next(), body: { ...details, invoice_email: 'billing@example.test' } },
    });
    expect(set.body.details).toMatchObject({ legal_name: 'Zażółć Łódź', country: 'PL' });
    expect((await ask(contract, 'details')).body).toEqual(set.body);
    expect((await ask(contract, 'details', prepaid.subject)).status).toBe(404);
    const wrong = await world.call('PUT', `/api/v1/organizations/${contract.organizationId}/billing/details`, {
      ...{ as: contract.token, key: systemIds.next(), body: { ...details, country: 'DE', tax_id: 'DE123456789' } },
    });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'tax_id_invalid' } });
    const seller = await asFinance('PUT', 'seller', { ...party, country: 'AT', tax_id: 'ATU13585628' });
    expect(seller.body.code).toBe('tax_id_invalid');
  });

  it('give a receipt for each payment, with its tax, once', async () => {
    await put(prepaid, 10_000n, 1_900n);
    await use(prepaid);
    await work();
    await work();
    const [receipt, ...more] = await documents(prepaid);
    expect(more).toEqual([]);
    expect(receipt).toMatchObject({ number: 'RCT-000001', total: { amount_minor: '11900' } });
    const { content } = (await ask(prepaid, `documents/${receipt?.id}`)).body;
    expect(content.tax).toMatchObject({ net_minor: '10000', tax_minor: '1900', gross_minor: '11900' });
  });

  it('give a statement for each month that has ended, which adds up to the balance', async () => {
    to('2026-05-01T00:30:00.000Z');
    await work();
    expect(await documents(prepaid, 'statement')).toEqual([]);
    to('2026-06-02T00:00:00.000Z');
    await work();
    const statements = await documents(prepaid, 'statement');
    expect(statements.map(({ number }) => number.slice(0, 'ST-2026-04'.length))).toEqual(['ST-2026-05', 'ST-2026-04']);
    const read = async (n: number) => (await ask(prepaid, `documents/${statements[n]?.id}`)).body.content;
    const [may, april] = [await read(0), await read(1)];
    expect(april.balance).toEqual({ opening_minor: '0', closing_minor: '8200' });
    expect(april.lines).toMatchObject([
      { text: 'Payment', day: '2026-04-10', amount_minor: '10000' },
      { quantity_ms: `${4 * hourMs}`, rate_micro: '450000000', amount_minor: '-1800' },
    ]);
    expect(may).toMatchObject({ lines: [], balance: { opening_minor: '8200', closing_minor: '8200' } });
  });

  it('are the same PDF each time, which the installed renderer made', async () => {
    const [first] = await documents(prepaid, 'receipt');
    const read = async () => (await ask(prepaid, `documents/${first?.id}/file`)).body;
    const [one, two] = [await read(), await read()];
    expect(one).toEqual(two);
    expect(one.file_name).toBe('RCT-000001.pdf');
    expect(Buffer.from(one.content_base64, 'base64').toString('latin1')).toMatch(/^%PDF-1\.\d[\s\S]*%%EOF\s*$/);
    const { dependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(renderer).toContain(`pdfkit-${dependencies.pdfkit}`);
  });

  it('are not found by another tenant', async () => {
    const [first] = await documents(prepaid, 'receipt');
    for (const rest of ['', '/file', '/verify']) {
      expect((await ask(contract, `documents/${first?.id}${rest}`)).status).toBe(404);
    }
  });
});

describe('invoices of an account with a contract', () => {
  it('are drafted when the month has ended, and become final with a number by themselves', async () => {
    to('2026-06-10T00:00:00.000Z');
    await put(contract, 1_000n);
    await use(contract);
    to('2026-07-01T02:00:00.000Z');
    await work();
    await work();
    const [draft, ...more] = await invoices();
    expect(more).toEqual([]);
    // 18.00 was used, 10.00 was paid before: 8.00 is owed, and 23 % of it as tax in Poland.
    expect(draft).toMatchObject({
      state: 'draft',
      actions: ['finalise', 'void'],
      number: null,
      net: { amount_minor: '800' },
      tax: { amount_minor: '184' },
    });
    now += 71 * hourMs;
    await work();
    expect(await invoices('final')).toEqual([]);
    now += 2 * hourMs;
    await work();
    expect(await invoices('final')).toMatchObject([{ number: 'INV-000001', gross: { amount_minor: '984' } }]);
    const [document] = await documents(contract, 'invoice');
    const { content } = (await ask(contract, `documents/${document?.id}`)).body;
    expect(content).toMatchObject({
      ...{ due_on: '2026-07-18', customer: { legal_name: 'Zażółć Łódź' }, seller: { tax_id: 'DE123456788' } },
      lines: [{ amount_minor: '1800' }, { text: 'Paid from the balance', amount_minor: '-1000' }],
      tax: { treatment: 'standard', country: 'PL', rate_basis_points: 2_300 },
    });
  });

  it('are past due after their time, with reminders that end', async () => {
    now += 15 * dayMs;
    await work();
    expect(await invoices('past_due')).toMatchObject([{ reminders: 0 }]);
    for (let week = 0; week < 6; week += 1) {
      now += 7 * dayMs + hourMs;
      await makeInvoicing(worker()).round(never);
    }
    expect(await invoices('past_due')).toMatchObject([{ reminders: 3 }]);
    const told = await world.root.query(`select from outbox_events where subject = 'billing.invoice_past_due'`);
    expect(told.rows).toHaveLength(4);
  });

  it('are paid once: the net goes to the balance, the tax to the tax account', async () => {
    const [{ id }] = await invoices('past_due');
    const paid = await asFinance('POST', `invoices/${id}/pay`, { reason: 'bank transfer 17' });
    expect(paid.body).toMatchObject({ state: 'paid', note: 'bank transfer 17' });
    expect((await asFinance('POST', `invoices/${id}/pay`, { reason: 'again' })).body.code).toBe('illegal_transition');
    const { rows } = await world.root.query(
      `select account, amount_minor from ledger_postings p join invoices i on i.entry_id = p.entry_id where i.id = $1 order by 1`,
      [id],
    );
    expect(rows).toEqual([
      { account: 'customer', amount_minor: '800' },
      { account: 'payments', amount_minor: '-984' },
      { account: 'tax', amount_minor: '184' },
    ]);
    expect((await ask(contract, 'balance')).body.balance.amount_minor).toBe('0');
    // Its document is the invoice: it gets no receipt.
    await work();
    expect((await documents(contract, 'receipt')).length).toBe(1);
  });

  it('that are void get a credit note over the same amounts, and their usage comes with the next one', async () => {
    to('2026-10-10T00:00:00.000Z');
    await use(contract);
    to('2026-11-01T02:00:00.000Z');
    await work();
    const [draft] = await invoices('draft');
    expect((await asFinance('POST', `invoices/${draft.id}/finalise`)).body).toMatchObject({
      number: 'INV-000002',
      actions: ['pay', 'void'],
    });
    const taken = await asFinance('POST', `invoices/${draft.id}/void`, { reason: 'a wrong address' });
    expect(taken.body.state).toBe('void');
    const [note] = await documents(contract, 'credit_note');
    expect(note).toMatchObject({ number: 'CN-000001', total: { amount_minor: '-2214' } });
    to('2026-12-01T02:00:00.000Z');
    await work();
    expect(await invoices('draft')).toMatchObject([{ net: { amount_minor: '1800' }, period: { from: '2026-11-01' } }]);
    expect((await asFinance('POST', `invoices/${systemIds.next()}/void`, { reason: 'x' })).body.code).toBe(
      'invoice_not_found',
    );
  });
});

describe('a busy month', () => {
  let launcher: Tenant;
  let many: Tenant;
  let few: Tenant;
  beforeAll(async () => {
    to('2027-01-01T00:00:00.000Z');
    [launcher, many, few] = [await world.found('launcher'), await world.found('many'), await world.found('few')];
    await put(launcher, 1_000_000n);
    const granted = `'{customer,grants}'::text[], array[n, -n]::bigint[]`;
    await insertMany(launcher, 'hold', `'{customer,held}'::text[], array[-n, n]::bigint[]`, 4_000);
    await insertMany(launcher, 'hold_release', `'{customer,held}'::text[], array[n, -n]::bigint[]`, 3_000);
    await insertMany(many, 'grant', granted, 3_000);
    await insertMany(few, 'grant', granted, 100);
    to('2027-02-02T00:00:00.000Z');
    await work();
  });
  const insertMany = (tenant: Tenant, kind: string, values: string, n: number) =>
    asSystem(
      world.root,
      `insert into ledger_entries (id, organization_id, currency, kind, at, accounts, amounts, actor_id, correlation_id, reason)
       select id_at(t.at), $1, b.currency, $2, t.at, v.accounts, v.amounts, 'test', 'test', 'entry ' || n
       from billing_accounts b, generate_series(1, $3::int) n,
         lateral (select '2027-01-01T00:00:00Z'::timestamptz + n % 31 * interval '1 day' + n * interval '1 ms' as at) t,
         lateral (select ${values}) v (accounts, amounts)
       where b.organization_id = $1`,
      [tenant.organizationId, kind, n],
    );
  const statementOf = async (tenant: Tenant) => {
    const id = (await documents(tenant, 'statement'))[0]?.id;
    const { content } = (await ask(tenant, `documents/${id}`)).body;
    const lines = content.lines as { text: string; day: string | null; amount_minor: string }[];
    const { rows } = await world.root.query(
      `select coalesce(sum(amounts[1]), 0)::text as sum from ledger_entries
       where organization_id = $1 and at >= '2027-01-01Z' and at < '2027-02-01Z'`,
      [tenant.organizationId],
    );
    expect(content.period).toEqual({ from: '2027-01-01', to: '2027-02-01' });
    expect(lines.reduce((sum, line) => sum + BigInt(line.amount_minor), 0n).toString()).toBe(rows[0].sum);
    expect((await ask(tenant, `documents/${id}/verify`)).body).toMatchObject({ ok: true, problem: null });
    return lines;
  };

  it('has one line for all holds and one for all that was given back', async () => {
    expect(await statementOf(launcher)).toMatchObject([
      { text: 'Payment', day: '2027-01-01', amount_minor: '1000000' },
      { text: 'Held for launches and disputes (4000 entries)', day: null, amount_minor: `${-(4_000 * 4_001) / 2}` },
      { text: 'No longer held (3000 entries)', day: null, amount_minor: `${(3_000 * 3_001) / 2}` },
    ]);
  });

  it('has a line for each day and kind where entries are many, and for each entry where they are few', async () => {
    const lines = await statementOf(many);
    expect(lines.map(({ day }) => day)).toEqual(
      Array.from({ length: 31 }, (_, n) => `2027-01-${`${n + 1}`.padStart(2, '0')}`),
    );
    expect(lines[0]?.text).toBe('Credit (96 entries)');
    expect((await statementOf(few)).map(({ text }) => text)).toContain('Credit: entry 100');
    expect(await statementOf(few)).toHaveLength(100);
  });

  it('has a line for each SKU where prices are many', async () => {
    const lines = (most: number) =>
      billing.database.read(systemViewer('billing-worker', { correlationId: systemIds.next() }), (tx) =>
        readUsageLines(tx, contract.organizationId, { from: '2026-04-01', to: '2027-01-01' }, most),
      );
    const [whole, bySku, byUnit] = [await lines(100), await lines(1), await lines(0)];
    expect(whole.every(({ sku, rate_micro }) => sku !== null && rate_micro !== null)).toBe(true);
    expect([bySku.length, byUnit.length, byUnit[0]?.sku]).toEqual([1, 1, null]);
    const sum = (of: typeof whole) => of.reduce((total, line) => total + line.amount_minor, 0n);
    expect([sum(bySku), sum(byUnit)]).toEqual([sum(whole), sum(whole)]);
  });
});

describe('numbers and proof', () => {
  it('have no gaps: a number that is not the next one is refused, and one that was rolled back is used again', async () => {
    const insert = (sequence: number) =>
      asSystem(
        world.root,
        `insert into billing_documents (id, organization_id, currency, kind, number, series, sequence, issued_at, entry_id,
           tax_minor, total_minor, content, content_sha256, renderer, pdf_sha256)
         values ($1, $2, 'USD', 'receipt', 'RCT-' || $3::text, 'receipt', $3::bigint, now(), $1, 0, 0, 'x', sha256('x'), 'x',
           sha256('x'))`,
        [systemIds.next(), prepaid.organizationId, sequence],
      );
    const { rows } = await world.root.query(`select last from billing_series where series = 'receipt'`);
    await expect(insert(Number(rows[0].last) + 2)).rejects.toThrow(/foreign key/);
    await world.root.query('rollback');
    await expect(insert(Number(rows[0].last))).rejects.toThrow(/unique/);
    await world.root.query('rollback');
    await Promise.all(Array.from({ length: 6 }, (_, n) => put(prepaid, BigInt(1_000 + n))));
    await Promise.all([makeIssue(worker()).round(never), makeIssue(worker()).round(never)]);
    await work();
    const numbers = await world.root.query(
      `select series, array_agg(sequence order by sequence) = array(select generate_series(1, max(sequence))) as whole
       from billing_documents where series is not null group by series order by 1`,
    );
    expect(numbers.rows).toEqual(['credit_note', 'invoice', 'receipt'].map((series) => ({ series, whole: true })));
  });

  it('are made again from the ledger byte for byte, and a late entry shows', async () => {
    const all = [...(await documents(prepaid)), ...(await documents(contract))];
    expect(all.length).toBeGreaterThan(10);
    for (const { id } of await documents(contract)) {
      expect((await ask(contract, `documents/${id}/verify`)).body).toMatchObject({ ok: true, problem: null });
    }
    await makeDocumentCheck(worker()).round(never);
    expect(await metrics.scrape()).toMatch(/gpuaas_billing_documents_unfit\S* 0/);
    const before = now;
    to('2026-04-20T00:00:00.000Z');
    await put(prepaid, 1n);
    now = before;
    const april = (await documents(prepaid, 'statement')).at(-1);
    expect((await ask(prepaid, `documents/${april?.id}/verify`)).body).toMatchObject({
      ...{ ok: false, problem: 'The ledger gives another content.' },
    });
  });

  it('are refused to whoever would change one', async () => {
    for (const text of ['update billing_documents set total_minor = 1', 'delete from billing_documents']) {
      await expect(asSystem(world.root, text, [])).rejects.toThrow(/append|changed|only/i);
      await world.root.query('rollback');
    }
  });
});
