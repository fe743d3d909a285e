import { defineMachine } from '../machine.ts';

/**
 * The life of an allocation, one table for slices and whole nodes. It becomes active only with a readiness attestation
 * and released only with proof that nothing is left; a failed release waits for a retry or an operator. A launch that
 * failed because of its host goes back to scheduling, a bounded number of times, and is tried on another host.
 */
export const allocation = defineMachine({
  name: 'allocation',
  initial: 'requested',
  terminal: ['released', 'failed'],
  states: {
    requested: { provision: 'provisioning', cancel: 'released', fail: 'failed' },
    provisioning: { activate: 'active', fail: 'failed', release: 'releasing', retry: 'requested' },
    active: { release: 'releasing', lose: 'failed' },
    releasing: { prove: 'released', giveUp: 'release_failed' },
    release_failed: { release: 'releasing', cleanUp: 'failed' },
    released: {},
    failed: {},
  },
});
