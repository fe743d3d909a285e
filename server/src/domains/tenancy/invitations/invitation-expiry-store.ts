import { sql } from '../../../kernel/act.ts';

export const overdueSql = sql(
  'invitation-overdue',
  `select id, organization_id from invitations
   where state = 'pending' and expires_at <= act_time() and mine(organization_id) order by expires_at limit $1`,
);
