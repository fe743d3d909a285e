import { sql } from '../../kernel/act.ts';

export const waitingSql = sql(
  'alert-changes-waiting',
  `select exists (select from alert_changes) or exists (
     select from automation_breakers where tripped_at is not null and told_at is null) as waiting`,
);
export const takeSql = sql(
  'alert-changes-take',
  `with taken as (
     delete from alert_changes where id in (select id from alert_changes order by id limit $1)
     returning id, what, effect_before, alert
   )
   select what, effect_before, alert from taken order by id`,
);
