import type { AllocationDetail } from '@gpuaas/sdk';
import type { Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { resolveAllocation } from '../resolve.ts';
import { isLogin } from '../show/sentence.ts';

/** What an SSH client has to know of an allocation before it connects. */
export interface SshPlace {
  readonly allocation: AllocationDetail;
  readonly username: string;
  /** The name under which its host keys are kept: it stays when an address is given to another machine. */
  readonly alias: string;
  /** As the host has attested them. */
  readonly hostKeys: readonly string[];
}

export const keyPattern = /^[a-z0-9@.-]{1,60} [A-Za-z0-9+/]{1,12000}={0,2}$/;

export async function findPlace(session: Session): Promise<SshPlace> {
  const allocation = await (await session.api()).allocations.get({ allocation_id: await resolveAllocation(session) });
  const place = placeOf(allocation);
  if (place) return place;
  if (allocation.state === 'active') {
    throw new Failure(exitCodes.conflict, 'Its host has not said which host keys it has, so SSH cannot check them.', {
      next: `The agent of the host is older than this. gpuaas terminal ${allocation.id} opens a shell.`,
    });
  }
  throw new Failure(exitCodes.conflict, `It is ${allocation.state}; SSH access is not available yet.`, {
    next: `gpuaas alloc wait ${allocation.id} waits for it.`,
  });
}

/** Undefined while the allocation has no login or no host key that could be compared. */
export function placeOf(allocation: AllocationDetail): SshPlace | undefined {
  const { access, login, id, state } = allocation;
  const ssh = (access?.['ssh'] ?? access) as Readonly<Record<string, unknown>> | null;
  const username = login?.username ?? ssh?.['username'];
  const keys = ssh?.['host_keys'];
  const hostKeys = (Array.isArray(keys) ? keys : []).filter(
    (key): key is string => typeof key === 'string' && keyPattern.test(key),
  );
  if (state !== 'active' || typeof username !== 'string' || !isLogin(username) || hostKeys.length === 0)
    return undefined;
  return { allocation, username, alias: `gpuaas-${id}`, hostKeys };
}
