import {
  type Activity,
  activityList,
  adminAuditList,
  adminAuditVerify,
  auditExport,
  auditList,
  auditVerify,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, sql, type Viewer } from '../../kernel/act.ts';
import { readPage } from '../../kernel/page.ts';
import type { Reconciler } from '../../kernel/reconciler.ts';
import * as correlations from './correlations.ts';
import { asCsv, asNdjson } from './export.ts';
import { exportRows, sealRows } from './facts.ts';
import { type AuditFilters, entriesAfter, findEntries, showEntry } from './search.ts';
import { verifyChain } from './verify.ts';

/** Audit: who did what. Rows come from `Database.write` alone; this domain reads, seals and checks them. */
export interface Audit {
  readonly routes: readonly Mounted[];
}

// What a project's members see: what was done in it, and what was done to it.
const ofProject = sql(
  'activity-list',
  `select id, actor_id, actor_role, action, target_type, target_id, result, correlation_id, change, created_at
   from audit_logs
   where (project_id = $1 or (target_type = 'project' and target_id = $1::text)) and mine(organization_id)
     and organization_id = $4 and ($2::uuid is null or id < $2)
     and ($5 = 'all' or (actor_kind in ('user', 'service_account') and action <> 'allocation.plan'))
   order by id desc limit $3`,
);

const on = handlers<{ readonly db: Database }>();

const activity = on(activityList, ({ db }, who, { query }) =>
  readPage({
    name: 'activity',
    query,
    read: (before, limit) =>
      db.read(who, (tx) =>
        tx.rows<Omit<Activity, 'created_at'> & { created_at: Date }>(ofProject, [
          who.projectId,
          before ?? null,
          limit,
          who.organizationId,
          query.actors ?? 'all',
        ]),
      ),
    keyOf: (row) => row.id,
    show: (row) => ({ ...row, created_at: row.created_at.toISOString() }),
  }),
);

const entries = (
  db: Database,
  who: Viewer,
  organizationId: string | undefined,
  query: AuditFilters & { readonly cursor?: string; readonly limit?: number },
) =>
  readPage({
    name: 'audit',
    query,
    read: (before, limit) => db.read(who, (tx) => findEntries(tx, organizationId, query, before, limit)),
    keyOf: (row) => row.id,
    show: showEntry,
  });
const list = on(auditList, ({ db }, who, { params, query }) => entries(db, who, params.organization_id, query));
const adminList = on(adminAuditList, ({ db }, who, { query }) => entries(db, who, query.organization_id, query));

const exported = on(auditExport, async ({ db }, who, { params, query: { format, after_id, ...filters } }) => {
  const rows = await db.read(who, (tx) => entriesAfter(tx, params.organization_id, filters, after_id, exportRows));
  return (format === 'csv' ? asCsv : asNdjson)(rows.map(showEntry));
});

const verify = on(auditVerify, ({ db }, who, { params }) =>
  db.read(who, (tx) => verifyChain(tx, params.organization_id)),
);
const adminVerify = on(adminAuditVerify, ({ db }, who, { query }) =>
  db.read(who, (tx) => verifyChain(tx, query.organization_id)),
);

export const makeAudit = (parts: { readonly db: Database }): Audit => ({
  routes: [
    ...[activity, list, adminList, exported, verify, adminVerify],
    ...[correlations.anywhere, correlations.inProject],
  ].map((bind) => bind(parts)),
});

/** Puts committed rows into their chains, a batch at a time. */
export const makeSealing = (sealer: { seal(limit: number): Promise<number> }): Reconciler => ({
  name: 'audit-sealing',
  round: async () => ((await sealer.seal(sealRows)) === sealRows ? 'more' : 'idle'),
});
