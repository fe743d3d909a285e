import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeAccrue } from '../../src/domains/billing/accrual.ts';
import { storeEvidence } from '../../src/domains/billing/evidence-store.ts';
import { microPerMinor } from '../../src/domains/billing/facts.ts';
import { actOf, makeLeases, openAs } from '../../src/domains/billing/testing.ts';
import { actsOf } from '../../src/kernel/act.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../src/testing/world.ts';
import { makePython } from '../journeys/support/python-environment.ts';

/** Files of usage, read by a program that is not ours. */
vi.setConfig({ testTimeout: 600_000, hookTimeout: 900_000 });
const execute = promisify(execFile);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let python: string;
let folder: string;
let world: World;
let tenant: Tenant;
let url: string;

beforeAll(async () => {
  python = await makePython(join(import.meta.dirname, 'requirements.txt'));
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-readers-'));
  world = await openWorld();
  tenant = await world.found('home');
  const { address, port } = await world.listen();
  url = `http://${address}:${port}/api/v1/organizations/${tenant.organizationId}/billing/usage/export`;
  await useSome();
});
afterAll(async () => {
  await world?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Three allocations with prices that do not divide, on five days. */
async function useSome(): Promise<void> {
  const billing = await openAs(world.schema, 'gpuaas_billing');
  const leases = await makeLeases(world.root);
  const first = Math.floor(Date.now() / dayMs) * dayMs - 6 * dayMs;
  for (const [at, unitPriceMinor] of [450n, 451n, 1n].entries()) {
    const lease = await leases.lease(tenant, { takenAt: new Date(first), unitPriceMinor, gpus: at + 1 });
    const rows = [0, 1, 2, 3, 4].map((day) => ({
      ...{ n: day, sequence: day + 1, node_id: lease.nodeId, allocation_id: lease.allocationId, generation: 1 },
      ...{ gpus: lease.gpus, result_key: 'k', speed: 1, record: `${lease.allocationId} ${day}`, final: day === 4 },
      from_at: new Date(first + day * dayMs + hourMs).toISOString(),
      to_at: new Date(first + day * dayMs + 3 * hourMs + 1_237).toISOString(),
    }));
    await world.database.database.write(actOf('test.use'), async (tx) =>
      tx.commit(await storeEvidence(tx, rows, { microPerMinor, aheadMs: 0, now: new Date(), speed: 1 }), {
        target: { type: 'usage_evidence', id: 'test' },
        events: 'none',
      }),
    );
  }
  const accrue = makeAccrue({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
  while (await accrue(3_600));
  await billing.close();
}
async function save(format: string, name: string): Promise<string> {
  const answer = await fetch(`${url}?format=${format}`, { headers: { authorization: `Bearer ${tenant.token}` } });
  expect(answer.status).toBe(200);
  const path = join(folder, name);
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  return path;
}

describe('a file of usage', () => {
  it('as Parquet has the rows and sums of the CSV, as another reader sees it', async () => {
    const [parquet, csv] = [await save('parquet', 'usage.parquet'), await save('csv', 'usage.csv')];
    const program = `
import csv, json, sys
import pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
rows = table.to_pylist()
lines = list(csv.DictReader(open(sys.argv[2])))
total = lambda of, name: sum(int(row[name]) for row in of)
print(json.dumps({
  'rows': [len(rows), len(lines)],
  'amount': [total(rows, 'amount_minor'), total(lines, 'amount_minor')],
  'columns': [table.column_names, list(lines[0])],
  'same': [str(a['line_id']) for a in rows] == [b['line_id'] for b in lines],
}))`;
    const { stdout } = await execute(python, ['-c', program, parquet, csv]);
    const read = JSON.parse(stdout) as Record<'rows' | 'amount', [number, number]> & { columns: string[][] };
    expect(read).toMatchObject({ rows: [15, 15], same: true });
    expect(read.amount[0]).toBe(read.amount[1]);
    expect(read.amount[0]).toBeGreaterThan(0);
    expect(read.columns[0]).toEqual(read.columns[1]);
  });
});
