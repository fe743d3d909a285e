import { sql } from '../../kernel/act.ts';

export const myself = sql(
  'overview-myself',
  `select exists (select from ssh_keys k where k.user_id = $1 and is_me(k.user_id)) as has_ssh_key,
     exists (select from personal_tokens t where t.user_id = $1 and is_me(t.user_id) and t.revoked_at is null) as has_token,
     (select m.read_until from notice_marks m where m.user_id = $1 and is_me(m.user_id)) as read_until`,
);
export const teammates = sql(
  'overview-teammates',
  `select exists (select from tenant_memberships m where m.organization_id = $1 and mine(m.organization_id)
     and m.deleted_at is null and m.user_id::text <> $2) as has_teammates`,
);
