import { defineMachine } from '../machine.ts';

/** One task for one node. Handing it out again while it is dispatched is the same task: the node runs it once. */
export const nodeTask = defineMachine({
  name: 'node_task',
  initial: 'queued',
  terminal: ['succeeded', 'failed', 'expired', 'cancelled'],
  states: {
    queued: { dispatch: 'dispatched', expire: 'expired', cancel: 'cancelled' },
    dispatched: {
      redispatch: 'dispatched',
      succeed: 'succeeded',
      fail: 'failed',
      expire: 'expired',
      cancel: 'cancelled',
    },
    succeeded: {},
    failed: {},
    expired: {},
    cancelled: {},
  },
});
