import { activityList, adminAuditList, adminAuditVerify, auditExport, auditList, auditVerify } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type Viewer } from '../../kernel/act.ts';
import { readPage } from '../../kernel/page.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import { listActivity, showActivity } from './activity-store.ts';
import * as correlations from './correlations-routes.ts';
import { asCsv, asNdjson } from './export.ts';
import { exportRows, sealRows } from './facts.ts';
import { type AuditFilters, entriesAfter, findEntries, showEntry } from './search-store.ts';
import { verifyChain } from './verify-store.ts';

/** Audit: who did what. Rows come from `Database.write` alone; this domain reads, seals and checks them. */
export interface Audit {
  readonly routes: readonly Mounted[];
}

const on = handlers<{ readonly db: Database }>();

const activity = on(activityList, ({ db }, who, { query }) =>
  readPage({
    name: 'activity',
    query,
    read: (before, limit) =>
      db.read(who, (tx) =>
        listActivity(
          tx,
          { projectId: who.projectId, organizationId: who.organizationId },
          { actors: query.actors ?? 'all', before, limit },
        ),
      ),
    keyOf: (row) => row.id,
    show: showActivity,
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
