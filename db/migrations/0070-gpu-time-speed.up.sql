-- Simulated hosts may say that GPU time passes faster than the clock. What real hosts sign counts as it is.
alter table usage_evidence add column speed integer not null default 1
  constraint usage_evidence_speed_check check (speed between 1 and 100000);
-- A release cuts what is not charged yet.
grant select (releasing_at) on allocations to gpuaas_billing;
