import { sql } from '../../../kernel/act.ts';

export const endDaily = sql(
  'notification-preference-end-daily',
  `update notification_preferences set mail = 'none', updated_at = act_time()
   where user_id = $1 and mail = 'daily' and is_me(user_id)`,
);
