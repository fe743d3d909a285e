-- Deliveries of these letters mean nothing to the older schema. They are dropped here as by the migrator itself.
alter table mail_deliveries disable trigger guard_act;
alter table mail_deliveries disable trigger guard_audit;
delete from mail_deliveries where kind = 'security';
alter table mail_deliveries enable trigger guard_act;
alter table mail_deliveries enable trigger guard_audit;
alter table mail_deliveries drop constraint mail_deliveries_kind_check;
alter table mail_deliveries add constraint mail_deliveries_kind_check check (kind in ('invitation', 'password'));
drop table security_letters;
