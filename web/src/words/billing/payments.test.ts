import type { PaymentOptions, PaymentSession } from '@gpuaas/sdk';
import { describe, expect, it } from 'vitest';
import { leftOf, objectToAmount, paymentStates, tellPayment, tellProvider, withTax } from './payments.ts';

const dollars = (amount_minor: string) => ({ amount_minor, currency: 'USD' });
const options: PaymentOptions = {
  provider: 'stripe',
  minimum: dollars('1000'),
  maximum: dollars('100000'),
  refund_window_days: 30,
  tax_rate_basis_points: 0,
};
const payment = (state: PaymentSession['state']): PaymentSession => ({
  ...{ id: 'p', organization_id: 'o', state, provider: 'stripe', url: null, requested_by: 'u', settled_at: null },
  ...{
    amount: dollars('2500'),
    tax: dollars('0'),
    credited: dollars('2500'),
    refunded: dollars('0'),
    disputed: dollars('0'),
  },
  ...{ created_at: '2026-01-01T00:00:00Z', expires_at: '2026-01-01T01:00:00Z' },
});

describe('words about payments', () => {
  it('say what became of a payment, in every state', () => {
    const states = Object.keys(paymentStates) as PaymentSession['state'][];
    const sentences = states.map((state) => tellPayment(payment(state)));
    expect(new Set(sentences).size).toBe(states.length);
    expect(tellPayment(payment('paid'))).toBe('$25.00 was added to the balance.');
    const taxed = { ...payment('paid'), credited: dollars('2975'), tax: dollars('475') };
    expect(tellPayment(taxed)).toBe('$25.00 was added to the balance.');
  });

  it('add tax to what goes to the balance, rounded half up', () => {
    expect([withTax('2500', 0), withTax('2500', 1_900), withTax('3', 1_900), withTax('50', 810)]).toEqual([
      ...['2500', '2975', '4', '54'],
    ]);
  });

  it('say why an amount cannot be paid', () => {
    expect(objectToAmount(undefined, options)).toBe('Enter an amount, for example $10.00.');
    expect(objectToAmount('999', options)).toBe('The smallest payment is $10.00.');
    expect(objectToAmount('100001', options)).toBe('The largest payment is $1,000.00.');
    expect(objectToAmount('1000', options)).toBeUndefined();
    expect(objectToAmount('100000', options)).toBeUndefined();
  });

  it('say what of a payment can go back', () => {
    const amounts = { credited: dollars('2500'), refunded: dollars('700'), disputed: dollars('300') };
    expect(leftOf(amounts)).toEqual(dollars('1500'));
  });

  it('say who takes the payment', () => {
    expect(tellProvider({ ...options, provider: 'simulated' })).toContain('no money moves');
    expect(tellProvider(options)).toContain('Stripe');
  });
});
