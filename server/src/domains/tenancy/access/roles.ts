import type { TenantRole } from '@gpuaas/contract';
import { Fault } from '../../../kernel/fault.ts';

/** Finance is lowest: in a project it can do less than any role there. */
const fromLowest: readonly TenantRole[] = ['finance', 'viewer', 'member', 'admin', 'owner'];
const rank = (role: TenantRole): number => fromLowest.indexOf(role);

/** Of two roles in one place the higher one counts. */
export const higher = (one: TenantRole, other: TenantRole | null | undefined): TenantRole =>
  other && rank(other) > rank(one) ? other : one;

/**
 * Whether a person may give or take a role. Finance, viewers and members give none; ownership is given and taken by owners only;
 * nobody raises their own role. `from` and `to` are undefined for a person who joins or leaves.
 */
export function grantFault(grant: {
  readonly by: TenantRole | undefined;
  readonly toSelf: boolean;
  readonly from: TenantRole | undefined;
  readonly to: TenantRole | undefined;
}): Fault<'insufficient_permissions' | 'ownership_required'> | undefined {
  const { by, from, to } = grant;
  if (by === undefined || rank(by) < rank('admin')) {
    return new Fault('insufficient_permissions', 'Only owners and admins give and take roles.', {
      needed: 'members:write',
    });
  }
  if (by !== 'owner' && (from === 'owner' || to === 'owner')) {
    return new Fault('ownership_required', 'Only an owner can grant or change the role owner.');
  }
  if (grant.toSelf && to !== undefined && rank(to) > (from === undefined ? -1 : rank(from))) {
    return new Fault('insufficient_permissions', 'You cannot raise your own role: ask another owner or admin.', {
      needed: 'members:write',
    });
  }
  return undefined;
}
