/**
 * The same write as pgbench does it, with the schema's own tables, indexes, foreign keys and guards. What differs from
 * the product's path, always in favour of pgbench:
 *
 * - It speaks as a role that passes row-level security and may insert into every table itself; the api may not, and
 *   goes through two functions.
 * - It takes no advisory lock on the idempotency key, so two concurrent requests with one key would both run.
 * - Audit, event and reply are copies of real ones, but the same each time: nobody builds, validates or encodes them.
 * - It authenticates nobody, knows no roles and no rate limit, and speaks no HTTP.
 */

/** Logically what the path does, one statement after the other. */
export const statementByStatement = `
\\set n random(1, 9000000000000000000)
begin;
select uuidv7() as project, set_config('gpuaas.act', uuidv7()::text, true) as act,
  set_config('gpuaas.actor', :actor, true) as s1, set_config('gpuaas.reach', 'organization', true) as s2,
  set_config('gpuaas.organization', ('00000000-0000-7000-8000-' || lpad(:client_id::text, 12, '0')), true) as organization,
  set_config('gpuaas.project', '', true) as s3, set_config('gpuaas.now', clock_timestamp()::text, true) as s4,
  (select count(*) from idempotency_records
   where principal = :actor and route = 'project_create' and key = 'key-d1-' || :n::text and expires_at > now()) as used
\\gset
insert into projects (id, organization_id, name, slug)
  values (:project, :organization, 'Measured project d1-' || :n::text, 'd1-' || :n::text)
  on conflict (organization_id, slug) where state <> 'deleted' do nothing
  returning id, organization_id, name, slug, state, version, created_at, updated_at;
insert into audit_logs (id, organization_id, actor_id, actor_kind, actor_role, action, target_type, target_id, result,
    correlation_id, change)
  values (:act, :organization, :actor, 'user', 'owner', 'project.create', 'project', :project, 'success', :act, :change)
  returning set_config('gpuaas.audited', id::text, true);
insert into audit_particulars (audit_id, owner, organization_id, salt, particulars)
  values (:act, :actor, :organization, gen_random_uuid(), '{"address": "127.0.0.1", "user_agent": "bench"}');
insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope)
  values (:project, :project, 'tenancy.project.created', :project, :organization, :envelope);
insert into idempotency_records (principal, route, key, fingerprint, status, body, expires_at)
  values (:actor, 'project_create', 'key-d1-' || :n::text, :fingerprint, 201, :body, now() + interval '24 hours');
commit;
`;

/** Everything in one statement. The guards find their act in settings that the session was opened with. */
export const oneStatement = `
\\set n random(1, 9000000000000000000)
with p as (
  insert into projects (id, organization_id, name, slug)
    values (uuidv7(), ('00000000-0000-7000-8000-' || lpad(:client_id::text, 12, '0'))::uuid,
      'Measured project d2-' || :n::text, 'd2-' || :n::text)
    on conflict (organization_id, slug) where state <> 'deleted' do nothing
    returning id, organization_id, name, slug, state, version, created_at, updated_at
), a as (
  insert into audit_logs (id, organization_id, actor_id, actor_kind, actor_role, action, target_type, target_id, result,
      correlation_id, change)
    select p.id, p.organization_id, :actor, 'user', 'owner', 'project.create', 'project', p.id::text, 'success',
      p.id::text, :change from p
), q as (
  insert into audit_particulars (audit_id, owner, organization_id, salt, particulars)
    select p.id, :actor, p.organization_id, gen_random_uuid(), '{"address": "127.0.0.1", "user_agent": "bench"}' from p
), o as (
  insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope)
    select p.id, p.id::text, 'tenancy.project.created', p.id::text, p.organization_id, :envelope from p
), i as (
  insert into idempotency_records (principal, route, key, fingerprint, status, body, expires_at)
    select :actor, 'project_create', 'key-d2-' || :n::text, :fingerprint, 201, :body, now() + interval '24 hours' from p
)
select * from p;
`;

const act = '00000000-0000-7000-8000-000000000000';
export const oneStatementSession = `-c gpuaas.act=${act} -c gpuaas.audited=${act}`;
