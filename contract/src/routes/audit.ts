import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';
import { Activity } from './activity.ts';

const { actor_name: _actor, target_name: _target, simulated: _simulated, ...recorded } = Activity.properties;
/** One entry of the audit log with everything that was recorded. */
export const AuditEntry = Type.Object(
  {
    ...recorded,
    organization_id: Type.Union([Uuid, Type.Null()]),
    project_id: Type.Union([Uuid, Type.Null()]),
    actor_kind: Type.Enum(['user', 'service_account', 'node', 'system']),
    actor_address: Type.Union([Type.String(), Type.Null()]),
    user_agent: Type.Union([Type.String(), Type.Null()]),
    is_erased: Type.Boolean({
      description: 'Whether something of this row was erased with a person: addresses, names, words that were typed.',
    }),
    committed_by: Type.Union([Type.String(), Type.Null()], {
      description: 'The database role that committed the row, as the database knows it; null in rows from before.',
    }),
  },
  { $id: 'AuditEntry', additionalProperties: false },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditVerdict = Type.Object(
  {
    chain: Type.String({ description: 'The organization, or "platform".' }),
    intact: Type.Boolean(),
    rows: Type.Integer({ description: 'Checked rows.' }),
    erased: Type.Integer({
      description: 'Rows whose particulars were erased with a person; the chain holds without them.',
    }),
    unsealed: Type.Integer({
      description: 'Rows that are not yet part of the chain; normally a second old.',
    }),
    archived: Type.Integer({
      minimum: 0,
      description: 'Links before these that lie in archives; `gpuaas ops archive verify` checks them.',
    }),
    head: Type.Union([Type.String(), Type.Null()], {
      description: 'The hash of the newest row. Keep it elsewhere to compare.',
    }),
    broken: Type.Union([
      Type.Object(
        { sequence: Type.String(), audit_id: Uuid, why: Type.String() },
        { additionalProperties: false, description: 'The first row that breaks the chain.' },
      ),
      Type.Null(),
    ]),
  },
  { $id: 'AuditVerdict', additionalProperties: false },
);
export type AuditVerdict = Static<typeof AuditVerdict>;

const filters = {
  actor_id: Type.Optional(Type.String({ maxLength: 100 })),
  action: Type.Optional(
    Type.String({ maxLength: 100, description: 'The whole name, or a prefix that ends with a dot.' }),
  ),
  target_type: Type.Optional(Type.String({ maxLength: 64 })),
  target_id: Type.Optional(Type.String({ maxLength: 100 })),
  result: Type.Optional(Type.Enum(['success', 'failure'])),
  actors: Type.Optional(
    Type.Enum(['people', 'all'], {
      description: 'people: without what the platform and its nodes did by themselves. Default: all.',
    }),
  ),
  correlation_id: Type.Optional(Type.String({ maxLength: 128 })),
  from: Type.Optional(Timestamp),
  until: Type.Optional(Timestamp),
};
const byOrganization = Type.Object({ organization_id: Uuid }, { additionalProperties: false });
const operators = { kind: 'none', why: 'The log of all tenants, for operators only.' } as const;
const exported = {
  ...filters,
  format: Type.Enum(['ndjson', 'csv'], {
    description: 'One JSON object a line, or CSV with a header line.',
  }),
  after_id: Type.Optional(Uuid),
};

export const auditList = defineRoute({
  id: 'audit_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/audit-logs',
  tag: 'Audit',
  summary: 'The audit log of the organization, newest first',
  auth: { kind: 'user', scope: 'audit:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: ['cursor_invalid'],
  params: byOrganization,
  query: Type.Object({ ...pageQuery, ...filters }, { additionalProperties: false }),
  response: page(AuditEntry),
});

export const auditExport = defineRoute({
  id: 'audit_export',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/audit-logs/export',
  tag: 'Audit',
  summary: 'The log as text, oldest first, up to 5,000 rows at a time; ask again with after_id set to the last id',
  auth: { kind: 'user', scope: 'audit:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: [],
  text: ['application/x-ndjson', 'text/csv'],
  params: byOrganization,
  query: Type.Object(exported, { additionalProperties: false }),
  response: Type.String(),
});

export const auditVerify = defineRoute({
  id: 'audit_verify',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/audit-logs/verify',
  tag: 'Audit',
  summary: 'Verify the hash chain of the log and name the first row that does not fit',
  auth: { kind: 'user', scope: 'audit:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'default',
  errors: [],
  params: byOrganization,
  response: AuditVerdict,
});

export const adminAuditList = defineRoute({
  id: 'admin_audit_list',
  method: 'GET',
  path: '/api/v1/admin/audit-logs',
  tag: 'AdminAudit',
  summary: 'The audit log of all tenants, newest first',
  auth: { kind: 'admin', scope: 'audit:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    { ...pageQuery, ...filters, organization_id: Type.Optional(Uuid) },
    { additionalProperties: false },
  ),
  response: page(AuditEntry),
});

export const adminAuditVerify = defineRoute({
  id: 'admin_audit_verify',
  method: 'GET',
  path: '/api/v1/admin/audit-logs/verify',
  tag: 'AdminAudit',
  summary: "Verify one chain: an organization's, or the platform's own",
  auth: { kind: 'admin', scope: 'audit:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: [],
  query: Type.Object({ organization_id: Type.Optional(Uuid) }, { additionalProperties: false }),
  response: AuditVerdict,
});
