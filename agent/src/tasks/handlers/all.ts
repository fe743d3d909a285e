import type { NodeTaskType } from '@gpuaas/contract/node';
import { containerHandlers } from './containers.ts';
import type { Handlers } from './handler.ts';
import { leaseHandlers } from './leases.ts';
import { nodeHandlers } from './node.ts';
import { runtimeHandlers } from './runtime.ts';
import { terminalHandlers } from './terminal.ts';

type HandlerParts = Parameters<typeof leaseHandlers>[0] &
  Parameters<typeof containerHandlers>[0] &
  Parameters<typeof runtimeHandlers>[0] &
  Parameters<typeof nodeHandlers>[0] &
  Parameters<typeof terminalHandlers>[0];

/**
 * Everything this agent does, compiled in. A task chooses one of these and gives it values; a type without a handler
 * here is refused, whether or not the protocol has a name for it.
 */
export const makeHandlers = (parts: HandlerParts): Handlers => ({
  ...leaseHandlers(parts),
  ...runtimeHandlers(parts),
  ...nodeHandlers(parts),
  ...terminalHandlers(parts),
  ...containerHandlers(parts),
});

/** What cuts short work that still builds in the same lease: it would be taken down again at once. */
export const supersedes = (type: NodeTaskType): boolean =>
  type === 'slice.vm_release' || type === 'allocation.revoke_user';
