import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sql } from '../../kernel/act.ts';
import { systemIds } from '../../kernel/id.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';
import { compareBalances, findAccount, verifyChain } from './ledger-store.ts';
import { actOf, foundOrganization, openAs } from './testing.ts';

vi.setConfig({ testTimeout: 120_000 });
let schema: TestSchema;
let root: pg.Client;
let api: DatabasePort;
let billing: DatabasePort;
beforeAll(async () => {
  schema = await openTestSchema();
  root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  [api, billing] = [await openAs(schema, 'gpuaas_api'), await openAs(schema, 'gpuaas_billing')];
});
afterAll(async () => {
  await Promise.all([api.close(), billing.close()]);
  await root.end();
  await schema.close();
});

const insertSql = `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id,
    reason, corrects, project_id, document)
  values ($1, $2, $3, $4, $5, $6, 'test', 'test', $7, $8, $9, $10)`;
interface Entry {
  readonly kind: string;
  readonly accounts: readonly string[];
  readonly amounts: readonly bigint[];
  readonly currency?: string;
}
const valuesOf = (organizationId: string, { kind, accounts, amounts, currency = 'USD' }: Entry) => [
  systemIds.next(),
  organizationId,
  currency,
  kind,
  accounts,
  amounts,
  ['grant', 'correction', 'refund'].includes(kind) ? 'because' : null,
  kind === 'correction' ? systemIds.next() : null,
  kind === 'usage' ? systemIds.next() : null,
  kind === 'usage' ? Buffer.alloc(32) : null,
];
const enter = (organizationId: string, entry: Entry) => asSystem(root, insertSql, valuesOf(organizationId, entry));
const refused = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as Error,
  );
  await root.query('rollback');
  return error ? error.message : 'taken';
};
const look = <T>(work: Parameters<DatabasePort['database']['read']>[1]) =>
  api.database.read(actOf('test.look'), work) as Promise<T>;
const account = (organizationId: string) =>
  look<Awaited<ReturnType<typeof findAccount>>>((tx) => findAccount(tx, organizationId));
const verify = (organizationId: string) =>
  look<Awaited<ReturnType<typeof verifyChain>>>((tx) => verifyChain(tx, organizationId));

const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
const pairs: Record<string, readonly [readonly string[], 1n | -1n]> = {
  grant: [['customer', 'grants'], 1n],
  usage: [['customer', 'revenue'], -1n],
  top_up: [['customer', 'payments'], 1n],
  refund: [['customer', 'payments'], -1n],
  tax: [['customer', 'tax'], -1n],
  correction: [['customer', 'revenue'], 1n],
};
const anyEntry: fc.Arbitrary<Entry> = fc.oneof(
  fc.tuple(fc.constantFrom(...Object.keys(pairs)), amount).map(([kind, minor]) => {
    const [accounts, sign] = pairs[kind] as (typeof pairs)[string];
    return { kind, accounts, amounts: [sign * minor, -sign * minor] };
  }),
  fc.tuple(amount, amount).map(([net, tax]) => ({
    kind: 'top_up',
    accounts: ['customer', 'tax', 'payments'],
    amounts: [net, tax, -net - tax],
  })),
);

describe('the ledger', () => {
  it('has a balance that is the sum of its entries, and postings that sum to zero, whatever is entered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { minLength: 1, maxLength: 12 }), async (entries) => {
        const { organizationId } = await foundOrganization(root);
        let expected = 0n;
        for (const entry of entries) {
          await enter(organizationId, entry);
          expected += entry.amounts[0] as bigint;
        }
        expect(await account(organizationId)).toMatchObject({
          balance_minor: expected,
          held_minor: 0n,
          entries: BigInt(entries.length),
        });
        const { rows } = await root.query(
          `select sum(amount_minor)::text as all, sum(amount_minor) filter (where account = 'customer')::text as customer
           from ledger_postings where organization_id = $1`,
          [organizationId],
        );
        expect(rows).toEqual([{ all: '0', customer: expected.toString() }]);
        expect(await verify(organizationId)).toMatchObject({ wrong_link: null, ends_here: true, sum: expected });
      }),
      { numRuns: 15 },
    );
  });

  it('sets money aside and gives it back, and never sets aside less than nothing', async () => {
    const { organizationId } = await foundOrganization(root);
    await enter(organizationId, { kind: 'grant', accounts: ['customer', 'grants'], amounts: [100n, -100n] });
    await enter(organizationId, { kind: 'hold', accounts: ['customer', 'held'], amounts: [-60n, 60n] });
    expect(await account(organizationId)).toMatchObject({ balance_minor: 40n, held_minor: 60n });
    await enter(organizationId, { kind: 'hold_release', accounts: ['customer', 'held'], amounts: [60n, -60n] });
    expect(await account(organizationId)).toMatchObject({ balance_minor: 100n, held_minor: 0n });
    const more = { kind: 'hold_release', accounts: ['customer', 'held'], amounts: [1n, -1n] };
    expect(await refused(enter(organizationId, more))).toContain('held_minor');
  });

  it.each<[string, Entry, string]>([
    [
      'one that does not sum to zero',
      { kind: 'grant', accounts: ['customer', 'grants'], amounts: [5n, -4n] },
      'add_up',
    ],
    ['one of nothing', { kind: 'grant', accounts: ['customer', 'grants'], amounts: [0n, 0n] }, 'add_up'],
    ['one posting', { kind: 'grant', accounts: ['customer'], amounts: [0n] }, 'add_up'],
    [
      'one with fewer amounts than accounts',
      { kind: 'grant', accounts: ['customer', 'grants'], amounts: [5n] },
      'add_up',
    ],
    [
      'one over one account twice',
      { kind: 'top_up', accounts: ['customer', 'tax', 'tax'], amounts: [5n, -4n, -1n] },
      'add_up',
    ],
    [
      'three that do not sum to zero',
      { kind: 'top_up', accounts: ['customer', 'tax', 'payments'], amounts: [5n, 1n, -5n] },
      'add_up',
    ],
    ['one without the customer', { kind: 'tax', accounts: ['tax', 'revenue'], amounts: [5n, -5n] }, 'add_up'],
    ['a grant that takes', { kind: 'grant', accounts: ['customer', 'grants'], amounts: [-5n, 5n] }, 'kind'],
    ['usage that gives', { kind: 'usage', accounts: ['customer', 'revenue'], amounts: [5n, -5n] }, 'kind'],
    ['an unknown kind', { kind: 'gift', accounts: ['customer', 'grants'], amounts: [5n, -5n] }, 'kind'],
    ['an unknown account', { kind: 'correction', accounts: ['customer', 'pocket'], amounts: [5n, -5n] }, 'kind'],
    [
      'another currency',
      { kind: 'grant', accounts: ['customer', 'grants'], amounts: [5n, -5n], currency: 'EUR' },
      'currency',
    ],
  ])('refuses %s', async (_, entry, rule) => {
    const { organizationId } = await foundOrganization(root);
    expect(await refused(enter(organizationId, entry))).toMatch(rule);
    expect(await account(organizationId)).toMatchObject({ balance_minor: 0n, entries: 0n });
  });

  it('only grows, also for its owner', async () => {
    const { organizationId } = await foundOrganization(root);
    await enter(organizationId, { kind: 'grant', accounts: ['customer', 'grants'], amounts: [5n, -5n] });
    for (const table of ['ledger_entries', 'ledger_seals']) {
      const key = `where organization_id = '${organizationId}'`;
      const change = table === 'ledger_entries' ? `reason = 'other'` : 'balance_minor = 7';
      expect(await refused(asSystem(root, `update ${table} set ${change} ${key}`, []))).toContain('only grows');
      expect(await refused(asSystem(root, `delete from ${table} ${key}`, []))).toContain('only grows');
      expect(await refused(asSystem(root, `truncate ${table} cascade`, []))).toContain('only grows');
    }
    expect(
      await refused(root.query(`update organizations set currency = 'EUR' where id = '${organizationId}'`)),
    ).not.toBe('taken');
  });

  it('takes decisions from the api and charges from the billing-worker, and neither from the other', async () => {
    const { organizationId } = await foundOrganization(root);
    const write = (database: DatabasePort, entry: Entry) =>
      database.database.write(actOf('test.enter'), async (tx) => {
        await tx.run(sql(`test-enter-${entry.kind}`, insertSql), valuesOf(organizationId, entry));
        return tx.commit(undefined, { target: { type: 'ledger', id: organizationId }, events: 'none' });
      });
    const grant = { kind: 'grant', accounts: ['customer', 'grants'], amounts: [50n, -50n] };
    const usage = { kind: 'usage', accounts: ['customer', 'revenue'], amounts: [-20n, 20n] };
    await write(api, grant);
    await write(billing, usage);
    await expect(write(api, usage)).rejects.toThrow('row-level security');
    await expect(write(billing, grant)).rejects.toThrow('row-level security');
    expect(await account(organizationId)).toMatchObject({ balance_minor: 30n });
  });

  it('keeps its balance while many write at once', async () => {
    const { organizationId } = await foundOrganization(root);
    const grant = { kind: 'grant', accounts: ['customer', 'grants'], amounts: [3n, -3n] };
    await Promise.all(
      Array.from({ length: 40 }, () =>
        api.database.write(actOf('test.enter'), async (tx) => {
          await tx.run(sql('test-enter-many', insertSql), valuesOf(organizationId, grant));
          return tx.commit(undefined, { target: { type: 'ledger', id: organizationId }, events: 'none' });
        }),
      ),
    );
    expect(await verify(organizationId)).toMatchObject({
      wrong_link: null,
      ends_here: true,
      sum: 120n,
      balance_minor: 120n,
    });
  });
});

describe('the chain of an account', () => {
  /** Changes a row as somebody could who has the machine: no trigger and no constraint sees it. */
  const tamper = async (statement: string, values: unknown[]) => {
    await root.query('begin');
    await root.query(`set local session_replication_role = 'replica'`);
    const { rowCount } = await root.query(statement, values);
    await root.query('commit');
    expect(rowCount).toBe(1);
  };

  it.each([
    [`amounts = array[amounts[1] + 1, amounts[2] - 1]`],
    [`reason = reason || ' '`],
    [`actor_id = 'other'`],
    [`correlation_id = 'other'`],
    [`at = at + interval '1 microsecond'`],
    [`kind = 'top_up', accounts = '{customer,payments}'`],
    [`id = '00000000-0000-7000-8000-000000000001'`],
  ])('breaks when a byte of an entry changes: %s', async (change) => {
    const { organizationId } = await foundOrganization(root);
    for (const minor of [10n, 20n, 30n]) {
      await enter(organizationId, { kind: 'grant', accounts: ['customer', 'grants'], amounts: [minor, -minor] });
    }
    expect(await verify(organizationId)).toMatchObject({ wrong_link: null });
    await tamper(`update ledger_entries set ${change} where organization_id = $1 and amounts[1] = 20`, [
      organizationId,
    ]);
    expect(await verify(organizationId)).toMatchObject({ wrong_link: 2n });
  });

  it.each<[string, string, object]>([
    [
      'an entry is removed',
      'delete from ledger_entries where organization_id = $1 and amounts[1] = 20',
      { wrong_link: 2n },
    ],
    ['a link is removed', 'delete from ledger_seals where organization_id = $1 and number = 2', { wrong_link: 3n }],
    [
      'the last link is removed',
      'delete from ledger_seals where organization_id = $1 and number = 3',
      { ends_here: false },
    ],
    [
      'an entry is slipped in',
      `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason)
       values (gen_random_uuid(), $1, 'USD', 'grant', '{customer,grants}', '{7,-7}', 'a', 'b', 'c')`,
      { entries: 4n, counted: 3n, sum: 67n },
    ],
  ])('shows when %s', async (_, statement, seen) => {
    const { organizationId } = await foundOrganization(root);
    for (const minor of [10n, 20n, 30n]) {
      await enter(organizationId, { kind: 'grant', accounts: ['customer', 'grants'], amounts: [minor, -minor] });
    }
    await tamper(statement, [organizationId]);
    expect(await verify(organizationId)).toMatchObject(seen);
  });

  it('is told apart from a balance that somebody changed', async () => {
    const { organizationId } = await foundOrganization(root);
    await enter(organizationId, { kind: 'grant', accounts: ['customer', 'grants'], amounts: [10n, -10n] });
    await tamper('update billing_accounts set balance_minor = 11 where organization_id = $1', [organizationId]);
    const compared = await look<Awaited<ReturnType<typeof compareBalances>>>((tx) =>
      compareBalances(tx, undefined, 10_000),
    );
    expect(compared).toContainEqual({ organization_id: organizationId, wrong: true });
  });
});
