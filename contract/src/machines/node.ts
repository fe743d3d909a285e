import { defineMachine } from '../machine.ts';

/**
 * The life of a host. It begins with a bootstrap token, which may be issued again. `schedulable` says whether it takes
 * new work; operators change it by cordon and uncordon.
 */
export const node = defineMachine({
  name: 'node',
  initial: 'bootstrap_issued',
  terminal: ['deleted'],
  states: {
    bootstrap_issued: { issue: 'bootstrap_issued', enrol: 'enrolling', remove: 'deleted' },
    enrolling: { admit: 'active', quarantine: 'quarantined', issue: 'bootstrap_issued', remove: 'removing' },
    active: { lose: 'offline', quarantine: 'quarantined', drain: 'draining', retire: 'retired' },
    offline: { return: 'active', quarantine: 'quarantined', drain: 'draining', retire: 'retired', issue: 'offline' },
    quarantined: { clear: 'active', retire: 'retired', issue: 'quarantined', remove: 'removing' },
    draining: { resume: 'active', drained: 'retired', quarantine: 'quarantined' },
    retired: { readmit: 'active', quarantine: 'quarantined', remove: 'removing' },
    removing: { prove: 'deleted' },
    deleted: {},
  },
});
