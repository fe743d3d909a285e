import { type Activity, activityList } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, sql } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { defaultPageSize, makePage, readCursor } from '../../kernel/page.ts';

/** Audit: who did what. Rows come from `Database.write` alone; this domain only reads them. */
export interface Audit {
  readonly routes: readonly Mounted[];
}

interface Row {
  readonly id: string;
  readonly actor_id: string;
  readonly actor_role: string;
  readonly action: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly result: Activity['result'];
  readonly correlation_id: string;
  readonly change: unknown;
  readonly created_at: Date;
}

// Ids of audit rows are made when the act begins, so that newest first is largest id first.
const ofProject = sql(
  'activity-list',
  `select id, actor_id, actor_role, action, target_type, target_id, result, correlation_id, change, created_at
   from audit_logs
   where (project_id = $1 or (target_type = 'project' and target_id = $1::text)) and mine(organization_id)
     and organization_id = $4 and ($2::uuid is null or id < $2)
   order by id desc limit $3`,
);

const on = handlers<{ readonly db: Database }>();

const list = on(activityList, async ({ db }, who, { query }) => {
  const before = readCursor('activity', query.cursor);
  if (before instanceof Fault) return before;
  const limit = query.limit ?? defaultPageSize;
  const rows = await db.read(who, (tx) =>
    tx.rows<Row>(ofProject, [who.projectId, before ?? null, limit + 1, who.organizationId]),
  );
  return makePage(
    'activity',
    rows,
    limit,
    (row) => row.id,
    (row) => ({ ...row, created_at: row.created_at.toISOString() }),
  );
});

export const makeAudit = (parts: { readonly db: Database }): Audit => ({ routes: [list(parts)] });
