import { defineMachine } from '../machine.ts';

/**
 * A payment follows what its provider says. It may be paid after we took it for expired: the news was late. A payment that does
 * not fit what the provider says waits in `failed_reconcile` until it does.
 */
export const payment = defineMachine({
  name: 'payment',
  initial: 'open',
  terminal: ['charged_back'],
  states: {
    open: { pay: 'paid', expire: 'expired', fail: 'failed_reconcile' },
    expired: { pay: 'paid', fail: 'failed_reconcile' },
    paid: { dispute: 'disputed', lose: 'charged_back', expire: 'expired', fail: 'failed_reconcile' },
    disputed: { win: 'paid', lose: 'charged_back' },
    failed_reconcile: { pay: 'paid', expire: 'expired', reopen: 'open' },
    charged_back: {},
  },
});
