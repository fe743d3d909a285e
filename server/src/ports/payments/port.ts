/**
 * Taking payments. The provider shows its own page where people pay, so no card ever comes near us. What was paid it says twice: in
 * a signed webhook, and when it is asked. `reference` is our name for a checkout: opening one again with the same reference opens
 * no second one.
 */
export interface Payments {
  readonly provider: 'simulated' | 'stripe' | 'disabled';
  /** What the provider knows a tenant as. The same reference answers the same customer. */
  customer(who: { readonly reference: string; readonly name: string }): Promise<string>;
  openCheckout(order: CheckoutOrder): Promise<Checkout | Refused>;
  /** What the provider knows about a checkout; nothing when it knows no such checkout. */
  findCheckout(checkoutId: string): Promise<PaymentFacts | undefined>;
  /** Sends money back. The same reference is sent once. */
  refund(order: RefundOrder): Promise<{ readonly refundId: string } | Refused>;
  /** Takes a webhook apart, from the bytes that arrived. Refuses what the provider has not signed within the tolerance. */
  readEvent(body: Buffer, signature: string | undefined): ProviderEvent | Refused;
  /** Throws unless the provider could be asked. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface CheckoutOrder {
  readonly reference: string;
  readonly customerId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** What the page says is paid for. */
  readonly title: string;
  readonly expiresAt: Date;
  /** Where the browser goes afterwards. */
  readonly paidUrl: string;
  readonly leftUrl: string;
}
export interface Checkout {
  readonly checkoutId: string;
  readonly url: string;
}
export interface RefundOrder {
  readonly reference: string;
  readonly paymentId: string;
  readonly amountMinor: bigint;
}
/** Final: the same request would be refused again. An outage throws instead, and may be repeated. */
export interface Refused {
  readonly refused: string;
}

/** What a provider says about a payment. What is undefined was not said. */
export interface PaymentFacts {
  readonly checkoutId?: string | undefined;
  readonly paymentId?: string | undefined;
  /** Our own name for the checkout. */
  readonly reference?: string | undefined;
  readonly status?: 'open' | 'paid' | 'expired' | undefined;
  readonly amountMinor?: bigint | undefined;
  readonly currency?: string | undefined;
  /** All of it that went back so far. */
  readonly refundedMinor?: bigint | undefined;
  readonly dispute?: { readonly amountMinor: bigint; readonly outcome: 'open' | 'won' | 'lost' } | undefined;
}
export interface ProviderEvent {
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  /** Nothing for an event that says nothing about a payment. */
  readonly facts: PaymentFacts | undefined;
}

export const isRefused = (answer: object): answer is Refused => 'refused' in answer;
