import { generateKeyPairSync, sign } from 'node:crypto';
import type { UsageProof } from '@gpuaas/contract';
import { canonicalJson } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifyProof } from '../../../../cli/src/proof/verify.ts';
import { actsOf } from '../../kernel/act.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { makeAccrue } from './accrual.ts';
import { storeEvidence } from './evidence-store.ts';
import { microPerMinor } from './facts.ts';
import { actOf, type Lease, makeLeases, openAs } from './testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const base = Date.parse('2026-04-10T22:00:00Z');
const minuteMs = 60_000;
let world: World;
let billing: Awaited<ReturnType<typeof openAs>>;
let leases: Awaited<ReturnType<typeof makeLeases>>;
let tenant: Tenant;
let lease: Lease;

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const resultKey = publicKey.export({ format: 'jwk' }).x as string;

/** A record, signed as a node signs it. */
function signedRow(of: Lease, n: number, fromMs: number, toMs: number, speed = 1, final = false) {
  const covered = {
    ...{ kind: 'usage', node_id: of.nodeId, allocation_id: of.allocationId, generation: 1, sequence: n + 1 },
    ...{ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), gpus: [...of.gpus], final },
    ...(speed > 1 && { speed }),
  };
  const signature = sign(null, Buffer.from(canonicalJson(covered)), privateKey).toString('base64url');
  return {
    ...{ n, node_id: of.nodeId, allocation_id: of.allocationId, generation: 1, sequence: n + 1, final, speed },
    ...{ from_at: covered.from, to_at: covered.to, gpus: of.gpus, result_key: resultKey },
    record: canonicalJson({ ...covered, signature }),
  };
}
type Row = ReturnType<typeof signedRow>;
/** Ten records of 17 minutes and a bit. */
const signedRows = (of: Lease): Row[] => {
  const lengthMs = 17 * minuteMs + 31;
  return Array.from({ length: 10 }, (_, n) =>
    signedRow(of, n, base + n * lengthMs, base + (n + 1) * lengthMs, 1, n === 9),
  );
};
const store = (rows: readonly Row[], speed = 1) =>
  world.database.database.write(actOf('test.use'), async (tx) =>
    tx.commit(await storeEvidence(tx, rows, { microPerMinor, aheadMs: 0, now: new Date(), speed }), {
      target: { type: 'usage_evidence', id: 'test' },
      events: 'none',
    }),
  );
const charge = async () => {
  const accrue = makeAccrue({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
  while (await accrue(60));
};

beforeAll(async () => {
  world = await openWorld();
  billing = await openAs(world.schema, 'gpuaas_billing');
  leases = await makeLeases(world.root);
  tenant = await world.found('prover');
  lease = await leases.lease(tenant, { takenAt: new Date(base + 90_000), unitPriceMinor: 449n });
  await store(signedRows(lease));
  await charge();
});
afterAll(async () => {
  await billing.close();
  await world.close();
});

/** A lease with a cap of an hour of GPU time, on a host that says how fast it passes. */
async function cappedLease(): Promise<{ readonly owner: Tenant; readonly capped: Lease }> {
  const owner = await world.found(`capped-${systemIds.next()}`);
  const capped = await leases.lease(owner, { takenAt: new Date(base), unitPriceMinor: 600n });
  await asSystem(world.root, `update nodes set topology = '{"simulated": true}', version = version + 1 where id = $1`, [
    capped.nodeId,
  ]);
  await asSystem(
    world.root,
    'update allocations set max_spend_minor = 600, max_duration_seconds = 3600, version = version + 1 where id = $1',
    [capped.allocationId],
  );
  return { owner, capped };
}
const linesOf = async ({ organizationId, token }: Tenant) => {
  const at = `/api/v1/organizations/${organizationId}/billing/ledger`;
  const { data } = (await world.call('GET', at, { as: token })).body as { data: { id: string }[] };
  const proofs = data.map(async ({ id }): Promise<UsageProof> => {
    return (await world.call('GET', `${at}/${id}/proof?limit=100`, { as: token })).body;
  });
  return verifyProof(await Promise.all(proofs));
};

const path = (rest: string) => `/api/v1/organizations/${tenant.organizationId}/billing/${rest}`;
const see = async (rest: string) => (await world.call('GET', path(rest), { as: tenant.token })).body;
async function proofOf(lineId: string, limit = 40): Promise<UsageProof[]> {
  const parts: UsageProof[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const part: UsageProof = await see(`ledger/${lineId}/proof?limit=${limit}${cursor && `&cursor=${cursor}`}`);
    parts.push(part);
    cursor = part.next_cursor;
  }
  return parts;
}

describe('the proof of a usage line with a cap', () => {
  it.each([
    ['slower', 60, 6],
    ['faster', 6, 60],
  ])('holds when simulated hosts became %s meanwhile, and charges the cap and no more', async (_, before, after) => {
    const { owner, capped } = await cappedLease();
    // Half an hour of GPU time at the first speed, in two records; then more than the cap leaves, at the second.
    const halfMs = 30 * minuteMs;
    const changedMs = base + halfMs / before;
    const middleMs = base + Math.round(halfMs / before / 3);
    await store(
      [signedRow(capped, 0, base, middleMs, before), signedRow(capped, 1, middleMs, changedMs, before)],
      before,
    );
    const untilMs = (share: number) => changedMs + Math.round((halfMs * share) / after);
    await store([signedRow(capped, 2, changedMs, untilMs(0.4), after)], after);
    await store(
      [
        signedRow(capped, 3, untilMs(0.4), untilMs(1.7), after),
        signedRow(capped, 4, untilMs(1.7), untilMs(2), after, true),
      ],
      after,
    );
    await charge();
    const verdict = await linesOf(owner);
    expect(verdict.problems).toEqual([]);
    expect(verdict.amountMinor).toBe(600n);
  });

  it('holds when the cap is longer than what was used', async () => {
    const { owner, capped } = await cappedLease();
    await store(
      [
        signedRow(capped, 0, base, base + minuteMs, 6),
        signedRow(capped, 1, base + minuteMs, base + 3 * minuteMs, 6, true),
      ],
      6,
    );
    await charge();
    const verdict = await linesOf(owner);
    expect(verdict).toMatchObject({ problems: [], amountMinor: 180n });
  });
});

describe('the proof of a usage line', () => {
  it('is enough to recompute the amount of each day, to the minor unit, in however many parts', async () => {
    const { data } = await see('ledger');
    expect(data).toHaveLength(2);
    for (const line of data) {
      for (const limit of [7, 100]) {
        const parts = await proofOf(line.id, limit);
        const verdict = verifyProof(parts);
        expect(verdict).toMatchObject({ problems: [], windows: line.windows, keys: [resultKey], currency: 'USD' });
        expect(String(-verdict.amountMinor)).toBe(line.amount.amount_minor);
        expect(parts.length).toBe(Math.ceil(line.windows / limit));
      }
    }
  });

  it('does not hold when one byte of evidence, price, time, amount or chain is another', async () => {
    const { data } = await see('ledger');
    const parts = await proofOf(data[0].id, 100);
    const changed = (change: (part: UsageProof) => void) => {
      const copy = structuredClone(parts);
      change(copy[0] as UsageProof);
      return verifyProof(copy).problems.length > 0;
    };
    const field = (at: number) => (part: UsageProof) => {
      const window = part.windows[3] as { text: string };
      const fields = window.text.split('\u001f');
      fields[at] = (BigInt(fields[at] ?? 0) + 1n).toString();
      window.text = fields.join('\u001f');
    };
    const evidence = (from: string, to: string) => (part: UsageProof) => {
      const [first] = part.evidence as { record: string }[];
      if (first) first.record = first.record.replace(from, to);
    };
    const changes = {
      from: field(10),
      to: field(11),
      quantity: field(12),
      rate: field(13),
      exact: field(14),
      charged: field(15),
      amount: field(16),
      'a GPU of the evidence': evidence('GPU-', 'GPU-0'),
      'the end of the evidence': evidence('2026-04-1', '2026-04-2'),
      'no evidence': (part: UsageProof) => void part.evidence.splice(1, 1),
      'fewer GPUs ordered': (part: UsageProof) => void Object.assign(part, { ordered_gpus: part.ordered_gpus - 1 }),
      'fewer attested GPUs': (part: UsageProof) => void part.attestations[0]?.gpus.splice(0),
      'a later attestation': (part: UsageProof) =>
        void Object.assign(part.attestations[0] as object, { taken_at: `${(base + 1e7) * 1_000}` }),
      'an earlier release': (part: UsageProof) => void Object.assign(part, { stop_at: `${(base + 1e7) * 1_000}` }),
      'a cheaper past': (part: UsageProof) =>
        void Object.assign(part.before, { exact: `${BigInt(part.before.exact) + 1n}` }),
      'another balance': (part: UsageProof) => void Object.assign(part.links[0] as object, { balance_minor: '1' }),
      'no link': (part: UsageProof) => void part.links.splice(0, 1),
      'another actor': (part: UsageProof) => {
        const link = part.links[0] as { entries: string[] };
        link.entries[0] = `${link.entries[0]}`.replace('billing-worker', 'billing-wirker');
      },
      'another key': (part: UsageProof) =>
        void Object.assign(part.evidence[0] as object, { result_key: `${resultKey.slice(0, -2)}AA` }),
    };
    const missed = Object.entries(changes).filter(([, change]) => !changed(change));
    expect(missed.map(([name]) => name)).toEqual([]);
    expect(verifyProof(parts).problems).toEqual([]);
  });

  it('is of the organization: another one finds no such line', async () => {
    const other = await world.found('other');
    const { data } = await see('ledger');
    const asked = `/api/v1/organizations/${other.organizationId}/billing/ledger/${data[0].id}/proof`;
    expect(await world.call('GET', asked, { as: other.token })).toMatchObject({
      ...{ status: 404, body: { code: 'ledger_line_not_found' } },
    });
    expect((await world.call('GET', path(`ledger/${data[0].id}/proof`), { as: other.token })).status).toBe(404);
  });
});
