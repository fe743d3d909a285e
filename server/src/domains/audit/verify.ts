import type { AuditVerdict } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../kernel/act.ts';
import { type AuditRow, chainBeginning, chainOf, linkHash, platformChain } from '../../kernel/audit-link.ts';

const links = sql(
  'audit-verify',
  `select s.sequence::text as seal_sequence, s.audit_id as seal_audit_id, s.hash as seal_hash, a.*,
     to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as created_at
   from audit_seals s left join audit_logs a on a.id = s.audit_id and (a.organization_id is null or mine(a.organization_id))
   where s.chain = $1 and s.sequence > $2 and (s.organization_id is null or mine(s.organization_id))
   order by s.sequence limit 2000`,
);
const waiting = sql(
  'audit-unsealed',
  `select count(*)::int as n from audit_logs a
   where a.organization_id is not distinct from $1::uuid and (a.organization_id is null or mine(a.organization_id))
     and not exists (select from audit_seals s where s.audit_id = a.id)`,
);

/** Recomputes a chain from its beginning and stops at the first link that does not hold. */
export async function verifyChain(tx: ReadTx, organizationId: string | undefined): Promise<AuditVerdict> {
  const chain = organizationId ?? platformChain;
  const [left] = await tx.rows<{ n: number }>(waiting, [organizationId ?? null]);
  let previous = chainBeginning;
  let expected = 0n;
  let rows = 0;
  const verdict = (broken: AuditVerdict['broken']): AuditVerdict => ({
    chain,
    intact: broken === null,
    rows,
    unsealed: left?.n ?? 0,
    head: rows > 0 ? previous : null,
    broken,
  });
  for (;;) {
    const page = await tx.rows<AuditRow & { seal_sequence: string; seal_audit_id: string; seal_hash: string }>(links, [
      chain,
      expected.toString(),
    ]);
    for (const row of page) {
      expected += 1n;
      const at = { sequence: row.seal_sequence, audit_id: row.seal_audit_id };
      if (row.seal_sequence !== expected.toString())
        return verdict({ ...at, why: `Link ${expected} before it is missing.` });
      if (row.id === null) return verdict({ ...at, why: 'The row itself is gone.' });
      if (chainOf(row) !== chain) return verdict({ ...at, why: 'The row was moved to another organization.' });
      if (linkHash(previous, row.seal_sequence, row) !== row.seal_hash) {
        return verdict({ ...at, why: 'The row or its link was changed.' });
      }
      previous = row.seal_hash;
      rows += 1;
    }
    if (page.length === 0) return verdict(null);
  }
}
