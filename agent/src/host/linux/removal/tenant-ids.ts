/** Ids below this are the system's own. No task can name one, and nothing here would obey it. */
export const firstUserId = 1_000;
/** The largest id that a task can name. */
const lastTenantId = 2_000_000_000;
/** Where ids of tenants begin unless an operator has changed the policy `tenancy.posix_uid_base`. */
const usualTenantBase = 20_000;
/** What systemd and shadow give to users of homed, to services, to nobody and to containers: their owners have no account. */
const reserved = [
  { from: 60_001, to: 65_535 },
  { from: 100_000, to: 1_879_048_191 },
] as const;

/** Whether an id that has no account on the host can only be a tenant's. `example` is the id of a tenant, which may be lower. */
export function isTenantId(id: number, example = usualTenantBase): boolean {
  const isInRange = id >= Math.min(usualTenantBase, example) && id >= firstUserId && id <= lastTenantId;
  return isInRange && !reserved.some(({ from, to }) => id >= from && id <= to);
}
