import { defineMachine } from '../machine.ts';

/**
 * How far the balance of an organization reaches. The billing-worker moves it by balance, hourly cost and policies; a top-up
 * leads back from every state. It never ends: an account lives as long as its organization.
 */
export const billingAccount = defineMachine({
  name: 'billing_account',
  initial: 'healthy',
  terminal: [],
  states: {
    healthy: { warn: 'low_balance', announce: 'auto_release_pending', deplete: 'depleted' },
    low_balance: { recover: 'healthy', announce: 'auto_release_pending', deplete: 'depleted' },
    auto_release_pending: { recover: 'healthy', warn: 'low_balance', deplete: 'depleted' },
    depleted: { recover: 'healthy', warn: 'low_balance', announce: 'auto_release_pending' },
  },
});
