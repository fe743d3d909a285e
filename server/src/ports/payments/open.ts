import type { Clock } from '../../kernel/clock.ts';
import type { Adapted } from '../adapter.ts';
import { makeDisabledPayments } from './disabled.ts';
import type { Payments } from './port.ts';
import { openSimulatedPayments, type SimulatedConfig } from './simulated.ts';
import type { StripeConfig } from './stripe.ts';

export type PaymentsConfig =
  | ({ readonly kind: 'simulated' } & SimulatedConfig)
  | ({ readonly kind: 'stripe' } & StripeConfig)
  | { readonly kind: 'disabled' };

/** The only place that knows who takes payments. The library of Stripe is large, so only who uses it loads it. */
export async function openPayments(
  config: PaymentsConfig,
  parts: { readonly clock: Clock },
): Promise<Payments & Adapted> {
  switch (config.kind) {
    case 'simulated':
      return openSimulatedPayments({ ...parts, ...config });
    case 'stripe': {
      const { openStripePayments } = await import('./stripe.ts');
      return openStripePayments({ ...parts, ...config });
    }
    case 'disabled':
      return makeDisabledPayments();
  }
}
