import type { Client } from 'pg';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem } from '../../../testing/world.ts';

/** An allocation ends without the machinery that usually ends it. */
export const failAllocation = (root: Client, allocationId: string) =>
  asSystem(
    root,
    `update allocations set state = 'failed', version = version + 1, ended_at = now(), failure_code = 'test' where id = $1`,
    [allocationId],
  );
/** A SKU has this price from a second ago. */
export const setPrice = (root: Client, sku: string, minor: bigint) =>
  asSystem(
    root,
    `insert into sku_prices (id, sku, currency, unit_price_minor, effective_from)
     values ($1, $2, 'USD', $3, clock_timestamp() - interval '1 second')`,
    [systemIds.next(), sku, minor],
  );
/** Pretends that so much was charged for an allocation. */
export const setCharged = (root: Client, allocationId: string, minor: bigint) =>
  asSystem(
    root,
    `insert into usage_meters (resource_id, meter, organization_id, project_id, requested_by, sku, currency, rate_micro, unit,
       gpus, evidence_to, accrued_to, charged_minor)
     select a.id, 'gpu_time', a.organization_id, a.project_id, a.requested_by, a.sku, a.currency, 1, 'gpu_hour', 1, now(), now(), $2
     from allocations a where a.id = $1
     on conflict (resource_id, meter) do update set charged_minor = excluded.charged_minor`,
    [allocationId, minor],
  );
