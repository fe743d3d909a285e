import { sql } from '../../../kernel/act.ts';

export const lockVersion = sql(
  'app-version-lock',
  'select state, version from app_versions where id = $1 and mine(organization_id) for update',
);
export const moveVersion = sql(
  'app-version-move',
  `update app_versions set state = $2, version = $3, channel = coalesce($4::text, channel), updated_at = act_time(),
     deprecated_at = case when $2 = 'deprecated' then act_time() else deprecated_at end,
     retired_at = case when $2 = 'retired' then act_time() end
   where id = $1 and mine(organization_id)`,
);
export const lockTrust = sql(
  'app-trust-lock',
  'select state, version from app_version_trust where id = $1 and mine(organization_id) for update',
);
export const moveTrust = sql(
  'app-trust-move',
  `update app_version_trust set state = $2, version = $3, revocation_reason = $4, revocation_effect = $5,
     updated_at = act_time()
   where id = $1 and mine(organization_id)`,
);
export const answerTrustMove = sql(
  'app-trust-answer',
  `update app_version_trust set state = $2, version = $3, evidence = $4, verified_at = $5, updated_at = act_time()
   where id = $1 and mine(organization_id)`,
);
