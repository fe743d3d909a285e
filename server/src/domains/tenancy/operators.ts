import {
  type AdminOrganization,
  type AdminOrganizationDetail,
  adminOrganizationGet,
  adminOrganizationList,
  type PolicySetting,
} from '@gpuaas/contract';
import { type Database, handlers, sql } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { readGpuQuota } from '../allocations/index.ts';
import type { Policies } from '../policy/index.ts';
import { maxShown } from './facts.ts';

/** Tenants as those see them who look after the platform. They look over every wall, and change nothing here. */
const listSql = sql(
  'operator-organizations',
  `select o.id, o.type, o.name, o.slug, o.currency, o.plan, o.created_at,
     (select count(*)::int from projects p where p.organization_id = o.id and p.state <> 'deleted') as projects,
     (select count(*)::int from tenant_memberships m where m.organization_id = o.id and m.deleted_at is null) as members,
     live.allocations, live.gpus
   from organizations o cross join lateral (
     select count(*)::int as allocations, coalesce(sum(a.gpu_count), 0)::int as gpus from allocations a
     where a.organization_id = o.id and a.state not in ('released', 'failed')
   ) live
   where mine(o.id) and o.deleted_at is null and ($1::uuid is null or o.id < $1) and ($4::uuid is null or o.id = $4)
     and ($2::text is null or o.id::text = $2 or strpos(lower(o.name), lower($2)) > 0 or strpos(o.slug, lower($2)) > 0)
   order by o.id desc limit $3`,
);
const projectsSql = sql(
  'operator-organization-projects',
  `select p.id, p.name, p.slug, p.state, p.created_at, (
     select count(*)::int from allocations a
     where a.project_id = p.id and a.organization_id = p.organization_id and a.state not in ('released', 'failed')
   ) as allocations
   from projects p where p.organization_id = $1 and mine(p.organization_id) and p.state <> 'deleted'
   order by p.id limit $2`,
);
const membersSql = sql(
  'operator-organization-members',
  `select m.user_id, m.role, m.created_at as joined_at, (
     select max(s.last_seen_at) from account_sessions s where s.user_id = m.user_id
   ) as last_seen_at
   from tenant_memberships m where m.organization_id = $1 and mine(m.organization_id) and m.deleted_at is null
   order by m.created_at, m.user_id limit $2`,
);
const policiesSql = sql(
  'operator-organization-policies',
  `select v.id, v.key, v.level, v.subject_id, v.value, v.hard, v.reason, v.updated_at from policy_values v
   where (v.level = 'organization' and v.subject_id = $1::uuid::text) or (v.level = 'plan' and v.subject_id = $2)
     or (v.level = 'project' and v.subject_id in (
       select p.id::text from projects p where p.organization_id = $1 and mine(p.organization_id)
     ))
   order by v.key, v.level, v.subject_id limit $3`,
);

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
