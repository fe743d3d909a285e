-- In the hour of a move to another version, each version has a row of its own: they may ask different prices for the same unit.
alter table app_use drop constraint app_use_once,
  add constraint app_use_once unique (route_id, hour, copy_id, app_version_id);
