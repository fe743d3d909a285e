import { defineMachine } from '../machine.ts';

/** One thing that is done to a machine of a MAAS site. It says nothing about the machine or its node: both have states of their own. */
export const maasJob = defineMachine({
  name: 'maas_job',
  initial: 'queued',
  terminal: ['succeeded', 'failed'],
  states: {
    queued: { begin: 'running', giveUp: 'failed' },
    running: { finish: 'succeeded', giveUp: 'failed' },
    succeeded: {},
    failed: {},
  },
});
