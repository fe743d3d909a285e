import {
  type Activity,
  activityList,
  adminAuditList,
  adminAuditVerify,
  auditExport,
  auditList,
  auditVerify,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, sql } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { defaultPageSize, makePage, readCursor } from '../../kernel/page.ts';
import type { Reconciler } from '../../kernel/reconciler.ts';
import { asCsv, asNdjson } from './export.ts';
import { exportRows, sealRows } from './facts.ts';
import { entriesAfter, findEntries, showEntry } from './search.ts';
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
   order by id desc limit $3`,
);

const on = handlers<{ readonly db: Database }>();

const activity = on(activityList, async ({ db }, who, { query }) => {
  const before = readCursor('activity', query.cursor);
  if (before instanceof Fault) return before;
  const limit = query.limit ?? defaultPageSize;
  const rows = await db.read(who, (tx) =>
    tx.rows<Omit<Activity, 'created_at'> & { created_at: Date }>(ofProject, [
      who.projectId,
      before ?? null,
      limit + 1,
      who.organizationId,
    ]),
  );
  return makePage(
    'activity',
    rows,
    limit,
    (row) => row.id,
    (row) => ({ ...row, created_at: row.created_at.toISOString() }),
  );
});

const list = on(auditList, async ({ db }, who, { params, query: { cursor, limit = defaultPageSize, ...filters } }) => {
  const before = readCursor('audit', cursor);
  if (before instanceof Fault) return before;
  const rows = await db.read(who, (tx) => findEntries(tx, params.organization_id, filters, before, limit + 1));
  return makePage('audit', rows, limit, (row) => row.id, showEntry);
});

const adminList = on(
  adminAuditList,
  async ({ db }, who, { query: { cursor, limit = defaultPageSize, organization_id, ...filters } }) => {
    const before = readCursor('audit', cursor);
    if (before instanceof Fault) return before;
    const rows = await db.read(who, (tx) => findEntries(tx, organization_id, filters, before, limit + 1));
    return makePage('audit', rows, limit, (row) => row.id, showEntry);
  },
);

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
  routes: [activity, list, adminList, exported, verify, adminVerify].map((bind) => bind(parts)),
});

/** Puts committed rows into their chains, a batch at a time. */
export const makeSealing = (sealer: { seal(limit: number): Promise<number> }): Reconciler => ({
  name: 'audit-sealing',
  round: async () => ((await sealer.seal(sealRows)) === sealRows ? 'more' : 'idle'),
});
