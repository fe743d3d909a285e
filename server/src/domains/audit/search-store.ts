import type { AuditEntry } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../kernel/act.ts';

export interface AuditFilters {
  readonly actor_id?: string;
  readonly action?: string;
  readonly target_type?: string;
  readonly target_id?: string;
  readonly result?: string;
  readonly correlation_id?: string;
  readonly from?: string;
  readonly until?: string;
  /** people: without what the platform and its nodes did by themselves. */
  readonly actors?: 'people' | 'all';
}

const shown = `id, organization_id, project_id, actor_id, actor_kind, actor_role, action, target_type, target_id, result,
  correlation_id, audit_change(id, change) as change, audit_place(id) ->> 'address' as actor_address,
  audit_place(id) ->> 'user_agent' as user_agent, audit_particulars_left(id) < cardinality(particulars) as is_erased,
  committed_by, created_at`;
const wanted = `($2::text is null or actor_id = $2)
  and ($3::text is null or action = $3 or (right($3, 1) = '.' and starts_with(action, $3)))
  and ($4::text is null or target_type = $4) and ($5::text is null or target_id = $5)
  and ($6::text is null or result = $6) and ($7::text is null or correlation_id = $7)
  and ($8::timestamptz is null or created_at >= $8) and ($9::timestamptz is null or created_at < $9)
  and (not $12::boolean or actor_kind in ('user', 'service_account'))`;
// Ids are made when the act begins, so that an order by id is an order by age.
const newestFirst = sql(
  'audit-newest',
  `select ${shown} from audit_logs
   where ($1::uuid is null or organization_id = $1) and (organization_id is null or mine(organization_id))
     and ${wanted} and ($10::uuid is null or id < $10)
   order by id desc limit $11`,
);
const oldestFirst = sql(
  'audit-oldest',
  `select ${shown} from audit_logs
   where ($1::uuid is null or organization_id = $1) and (organization_id is null or mine(organization_id))
     and ${wanted} and ($10::uuid is null or id > $10)
   order by id limit $11`,
);

type Row = Omit<AuditEntry, 'created_at'> & { readonly created_at: Date };

export const showEntry = (row: Row): AuditEntry => ({ ...row, created_at: row.created_at.toISOString() });

const values = (organizationId: string | undefined, filters: AuditFilters, at: string | undefined, limit: number) => [
  organizationId ?? null,
  filters.actor_id ?? null,
  filters.action ?? null,
  filters.target_type ?? null,
  filters.target_id ?? null,
  filters.result ?? null,
  filters.correlation_id ?? null,
  filters.from ?? null,
  filters.until ?? null,
  at ?? null,
  limit,
  filters.actors === 'people',
];

export const findEntries = (
  tx: ReadTx,
  organizationId: string | undefined,
  filters: AuditFilters,
  before: string | undefined,
  limit: number,
) => tx.rows<Row>(newestFirst, values(organizationId, filters, before, limit));
export const entriesAfter = (
  tx: ReadTx,
  organizationId: string | undefined,
  filters: AuditFilters,
  after: string | undefined,
  limit: number,
) => tx.rows<Row>(oldestFirst, values(organizationId, filters, after, limit));
