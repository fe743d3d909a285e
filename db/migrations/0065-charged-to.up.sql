-- Finds how far an organization was charged without reading all of its meters.
-- Builds two indexes on usage_meters: the billing-worker waits for as long as that takes.
create index usage_meters_charged on usage_meters (organization_id, accrued_to);
create index usage_meters_behind on usage_meters (organization_id, accrued_to) where accrued_to < evidence_to;
