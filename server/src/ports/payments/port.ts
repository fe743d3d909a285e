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
  /** Opens a page on which a customer saves a card. */
  openSetup(order: SetupOrder): Promise<{ readonly url: string } | Refused>;
  /** The cards of a customer, newest first. One of them is the default, unless there are none. */
  methods(customerId: string): Promise<readonly SavedMethod[]>;
  /** Refused for a card that the customer does not have. */
  setDefaultMethod(customerId: string, methodId: string): Promise<Refused | undefined>;
  removeMethod(customerId: string, methodId: string): Promise<Refused | undefined>;
  /** Charges a saved card while nobody is present. The same reference is charged once, and answers the same. */
  charge(order: ChargeOrder): Promise<Charged | Unconfirmed | Refused>;
  /** What the provider knows about a payment that was charged so; nothing when it knows no such payment. */
  findCharge(paymentId: string): Promise<PaymentFacts | undefined>;
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
export interface SetupOrder {
  readonly reference: string;
  readonly customerId: string;
  readonly title: string;
  readonly expiresAt: Date;
  /** Where the browser goes afterwards. */
  readonly backUrl: string;
}
export interface SavedMethod {
  readonly id: string;
  readonly brand: string;
  readonly last4: string;
  /** The last month in which it can be charged, as 2030-01. */
  readonly expires: string;
  readonly isDefault: boolean;
}
export interface ChargeOrder {
  readonly reference: string;
  readonly customerId: string;
  readonly methodId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly title: string;
}
/** A charge that was made, or that the bank is still making. */
export interface Charged {
  readonly paymentId: string;
  readonly status: 'paid' | 'pending';
}
/** The bank asks the payer to confirm. Nothing was charged: a checkout has to take the payment instead. */
export interface Unconfirmed {
  readonly unconfirmed: string;
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
  /** `failed`: it was paid on the page, and the bank sent no money. */
  readonly status?: 'open' | 'paid' | 'expired' | 'failed' | undefined;
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
