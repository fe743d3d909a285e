import { billingProofGet, type UsageProof } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { kindOfMeter } from './meters.ts';
import { listProofWindows, type ProofWindow, readProof } from './proof-store.ts';
import { findLine } from './read-store.ts';

const on = handlers<{ readonly db: Database }>();

/** The bundle that `gpuaas billing prove` recomputes a line from. It holds public keys and signed records, no secrets. */
const proof = on(billingProofGet, async ({ db }, who, { params, query }) => {
  const line = await db.read(who, (tx) => findLine(tx, params.organization_id, params.line_id));
  if (!line) return new Fault('ledger_line_not_found', 'There is no such line of usage.');
  const windows = await readPage({
    name: 'ledger-proof',
    query,
    key: 'number',
    read: (after, limit) => db.read(who, (tx) => listProofWindows(tx, line, after, limit)),
    keyOf: (row: ProofWindow) => row.key.toString(),
    show: (row) => row,
  });
  if (windows instanceof Fault) return windows;
  const found = await db.read(who, (tx) =>
    readProof(tx, { ...line, organizationId: params.organization_id }, windows.data),
  );
  return {
    format: 'gpuaas-usage-proof-1',
    organization_id: params.organization_id,
    line_id: params.line_id,
    allocation_id: line.resource_id,
    meter: kindOfMeter(line.meter),
    day: line.day,
    ordered_gpus: found.meter?.gpus ?? 1,
    stop_at: found.meter?.stop_at ?? null,
    before: found.before,
    attestations: found.attestations,
    windows: windows.data.map(({ id, text }) => ({ id, text })),
    evidence: found.evidence,
    readings: found.readings.map(({ text }) => text),
    links: found.links,
    next_cursor: windows.next_cursor,
  } satisfies UsageProof;
});

export const proofRoutes = (parts: { readonly db: Database }): Mounted[] => [proof(parts)];
