import type { AuditVerdict } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../kernel/act.ts';
import {
  type AuditRow,
  chainBeginning,
  chainOf,
  type LinkForm,
  linkHash,
  platformChain,
} from '../../kernel/audit-link.ts';

const links = sql(
  'audit-verify',
  `select s.sequence::text as seal_sequence, s.audit_id as seal_audit_id, s.hash as seal_hash, s.form as seal_form, a.*,
     exists (select from audit_particulars p where p.audit_id = a.id and p.organization_id is not distinct from a.organization_id
       and not particulars_digest(p.salt, p.particulars) = any (a.particulars)) as is_forged,
     (select count(*)::int from audit_particulars p where p.audit_id = a.id
       and p.organization_id is not distinct from a.organization_id) as particulars_left,
     to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as created_at
   from audit_seals s left join audit_logs a on a.id = s.audit_id and (a.organization_id is null or mine(a.organization_id))
   where s.chain = $1 and s.sequence > $2 and (s.organization_id is null or mine(s.organization_id))
   order by s.sequence limit 2000`,
);
const waiting = sql(
  'audit-unsealed',
  `select count(*)::int as n from audit_logs a
   where a.organization_id is not distinct from $1::uuid and (a.organization_id is null or mine(a.organization_id))
     and not exists (select from audit_seals s where s.audit_id = a.id
       and s.organization_id is not distinct from a.organization_id)
     and not exists (select from history_archives h where h.subject = 'audit' and h.archived_at is not null
       and h.removed_at is null and a.created_at < h.to_at)`,
);

/** The last link of the chain that an archive holds: what is kept follows it. */
const archivedHead = sql(
  'audit-archived-head',
  `select h.last_sequence::text as sequence, h.last_hash as hash from history_links h
     join history_archives a on a.id = h.archive_id and a.archived_at is not null
   where h.chain = $1 and (h.organization_id is null or mine(h.organization_id))
   order by h.last_sequence desc limit 1`,
);

type LinkRow = AuditRow & {
  readonly seal_sequence: string;
  readonly seal_audit_id: string;
  readonly seal_hash: string;
  readonly seal_form: LinkForm;
  readonly is_forged: boolean;
  readonly particulars: readonly string[];
  readonly particulars_left: number;
};

/** Recomputes a chain, from its beginning or from where its archives end, and stops at the first link that does not hold. */
export async function verifyChain(tx: ReadTx, organizationId: string | undefined): Promise<AuditVerdict> {
  const chain = organizationId ?? platformChain;
  const [left] = await tx.rows<{ n: number }>(waiting, [organizationId ?? null]);
  const [head] = await tx.rows<{ sequence: string; hash: string }>(archivedHead, [chain]);
  let previous = head?.hash ?? chainBeginning;
  let expected = BigInt(head?.sequence ?? 0);
  let rows = 0;
  let erased = 0;
  const verdict = (broken: AuditVerdict['broken']): AuditVerdict => ({
    chain,
    intact: broken === null,
    rows,
    erased,
    unsealed: left?.n ?? 0,
    archived: Number(head?.sequence ?? 0),
    head: rows > 0 || head ? previous : null,
    broken,
  });
  for (;;) {
    const page = await tx.rows<LinkRow>(links, [chain, expected.toString()]);
    for (const row of page) {
      expected += 1n;
      const at = { sequence: row.seal_sequence, audit_id: row.seal_audit_id };
      if (row.seal_sequence !== expected.toString())
        return verdict({ ...at, why: `Link ${expected} before it is missing.` });
      if (row.id === null) return verdict({ ...at, why: 'The row itself is gone.' });
      if (chainOf(row) !== chain) return verdict({ ...at, why: 'The row was moved to another organization.' });
      if (linkHash(previous, row.seal_sequence, row, row.seal_form) !== row.seal_hash) {
        return verdict({ ...at, why: 'The row or its link was changed.' });
      }
      if (row.is_forged) return verdict({ ...at, why: 'What is kept beside the row was changed.' });
      if (row.particulars_left < row.particulars.length) erased += 1;
      previous = row.seal_hash;
      rows += 1;
    }
    if (page.length === 0) return verdict(null);
  }
}
