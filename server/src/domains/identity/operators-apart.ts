import type { PlatformRole } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { holdsRole, type LockedPerson } from './people-store.ts';

const superadmin: PlatformRole = 'platform_superadmin';

/** An operator who manages people must not be able to remove or disable people with platform roles. */
export async function whyNotTouch(
  tx: WriteTx,
  act: Act,
  person: Pick<LockedPerson, 'platform_roles'>,
): Promise<Fault<'insufficient_permissions'> | undefined> {
  if (person.platform_roles.length === 0 || (await holdsRole(tx, act.actorId, superadmin))) return undefined;
  return new Fault('insufficient_permissions', 'Only a superadmin may do this to a person with a platform role.', {
    needed: 'roles:admin',
  });
}
