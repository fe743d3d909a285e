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
   select t.what, t.effect_before,
     t.alert || case when n.id is null then '{}' else jsonb_build_object('simulated', coalesce(n.simulated, false)) end as alert
   from taken t left join nodes n on n.id = (t.alert->>'node_id')::uuid order by t.id`,
);
