import { Outage } from '../../kernel/fault.ts';
import type { Adapted } from '../adapter.ts';
import type { Payments } from './port.ts';

const because = 'this installation takes no payments';

/** An installation without a provider: nothing can be paid, and no webhook is believed. */
export function makeDisabledPayments(): Payments & Adapted {
  let closed = false;
  const refuse = async () => {
    if (closed) throw new Error('payments are closed');
    return { refused: because };
  };
  return {
    adapter: { name: 'disabled', kind: 'none' },
    provider: 'disabled',
    customer: async () => {
      throw new Outage(because);
    },
    openCheckout: refuse,
    findCheckout: async () => undefined,
    openSetup: refuse,
    methods: async () => [],
    setDefaultMethod: refuse,
    removeMethod: refuse,
    charge: refuse,
    findCharge: async () => undefined,
    refund: refuse,
    readEvent: () => ({ refused: because }),
    async check() {
      if (closed) throw new Error('payments are closed');
    },
    async close() {
      closed = true;
    },
  };
}
