import type { TenantRole } from '@gpuaas/contract';
import type { Act, InOrganization, WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { findInstance, holdCapacityOf, holdInstance, type InstanceRow } from './store.ts';

/** The roles that may launch on the allocations of others. */
const administrators: ReadonlySet<string> = new Set<TenantRole>(['owner', 'admin']);

/** Why the caller may not decide what runs in an allocation: the rule of terminals, because what runs there reads and changes what is there. */
export const whyNotTheirs = (
  held: { readonly isTheirs: boolean },
  act: Pick<Act, 'actorRole'>,
): Fault<'ownership_required'> | undefined =>
  held.isTheirs || administrators.has(act.actorRole)
    ? undefined
    : new Fault(
        'ownership_required',
        'Only who created the allocation, who has a grant for it, or an admin or owner may choose which apps run on it. Ask one of them for a grant.',
      );

/** An instance whose version or parameters the caller is about to change, held until this act ends. */
export async function holdToChange(
  tx: WriteTx,
  id: string,
  act: Act & InOrganization,
): Promise<InstanceRow | Fault<'app_instance_not_found' | 'ownership_required'>> {
  const absent = () => new Fault('app_instance_not_found', 'There is no such app instance.');
  const seen = await findInstance(tx, id);
  if (!seen) return absent();
  const of = { organizationId: seen.organization_id, projectId: seen.project_id, actorId: act.actorId };
  const held = await holdCapacityOf(tx, seen.allocation_id, of);
  if (!held) return absent();
  return whyNotTheirs(held, act) ?? (await holdInstance(tx, id)) ?? absent();
}
