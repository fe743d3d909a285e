import {
  type AdminOrganization,
  type AdminOrganizationDetail,
  adminOrganizationGet,
  adminOrganizationList,
  type PolicySetting,
} from '@gpuaas/contract';
import { type Database, handlers } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { readGpuQuota } from '../allocations/index.ts';
import type { Policies } from '../policy/index.ts';
import { maxShown } from './facts.ts';
import { listSql, membersSql, policiesSql, projectsSql } from './operators-store.ts';

type Row = Omit<AdminOrganization, 'created_at'> & { readonly created_at: Date };
interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly state: string;
  readonly allocations: number;
  readonly created_at: Date;
}
interface MemberRow {
  readonly user_id: string;
  readonly role: string;
  readonly joined_at: Date;
  readonly last_seen_at: Date | null;
}
type PolicyRow = Omit<PolicySetting, 'updated_at'> & { readonly updated_at: Date };

const on = handlers<{ readonly db: Database; readonly policies: Policies }>();

const show = (row: Row): AdminOrganization => ({ ...row, created_at: row.created_at.toISOString() });

export const list = on(adminOrganizationList, ({ db }, who, { query }) =>
  readPage({
    name: 'operator-organizations',
    query,
    read: (before, limit) =>
      db.read(who, (tx) => tx.rows<Row>(listSql, [before ?? null, query.q ?? null, limit, null])),
    keyOf: (row) => row.id,
    show,
  }),
);

export const get = on(adminOrganizationGet, ({ db, policies }, who, { params }) =>
  db.read(who, async (tx): Promise<AdminOrganizationDetail | Fault<'organization_not_found'>> => {
    const id = params.organization_id;
    const [row] = await tx.rows<Row>(listSql, [null, null, 1, id]);
    if (!row) return new Fault('organization_not_found', 'There is no such object.');
    const projects = await tx.rows<ProjectRow>(projectsSql, [id, maxShown]);
    const members = await tx.rows<MemberRow>(membersSql, [id, maxShown]);
    const overrides = await tx.rows<PolicyRow>(policiesSql, [id, row.plan, maxShown]);
    return {
      ...show(row),
      project_list: projects.map((each) => ({ ...each, created_at: each.created_at.toISOString() })),
      member_list: members.map((each) => ({
        ...each,
        joined_at: each.joined_at.toISOString(),
        last_seen_at: each.last_seen_at?.toISOString() ?? null,
      })),
      gpu_quota: await readGpuQuota(tx, policies, id),
      policies: overrides.map((each) => ({ ...each, updated_at: each.updated_at.toISOString() })),
    };
  }),
);
