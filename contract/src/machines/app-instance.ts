import { defineMachine } from '../machine.ts';

/**
 * The life of an instance of an app. It waits for its allocation where both were asked for together, launches, and runs once it is ready. What
 * is stopped keeps its volumes and can start again; what is released is over, and so is everything whose allocation has ended (`lose`).
 */
export const appInstance = defineMachine({
  name: 'app_instance',
  initial: 'requested',
  terminal: ['released'],
  states: {
    requested: { launch: 'launching', fail: 'failed', lose: 'released' },
    launching: { ready: 'running', fail: 'failed', stop: 'stopping', release: 'releasing', lose: 'released' },
    running: { fail: 'failed', stop: 'stopping', release: 'releasing', lose: 'released' },
    stopping: { stopped: 'stopped', release: 'releasing', lose: 'released' },
    stopped: { launch: 'launching', release: 'releasing', lose: 'released' },
    failed: { launch: 'launching', release: 'releasing', lose: 'released' },
    releasing: { lose: 'released' },
    released: {},
  },
});
