/**
 * The columns of FOCUS, the FinOps open cost and usage specification, as data: the version that brought each of them, and the
 * fact that fills it (`focus-facts.ts`). A column without a fact has no meaning here yet and stays empty. The next version of the
 * specification adds lines.
 */

export type FocusType = 'decimal' | 'text' | 'time' | 'json';
export interface FocusColumn {
  readonly name: string;
  readonly since: '1.0' | '1.1' | '1.2' | '1.3';
  readonly type: FocusType;
  readonly fact?: string;
}

const of = (
  since: FocusColumn['since'],
  type: FocusType,
  names: Readonly<Record<string, string | null>>,
): FocusColumn[] =>
  Object.entries(names).map(([name, fact]) => ({ name, since, type, ...(fact !== null && { fact }) }));

export const focusColumns: readonly FocusColumn[] = [
  ...of('1.0', 'text', { AvailabilityZone: null }),
  ...of('1.0', 'decimal', { BilledCost: 'cost' }),
  ...of('1.0', 'text', {
    BillingAccountId: 'organizationId',
    BillingAccountName: 'organization',
    BillingCurrency: 'currency',
  }),
  ...of('1.0', 'time', { BillingPeriodEnd: 'monthEnd', BillingPeriodStart: 'monthStart' }),
  ...of('1.0', 'text', {
    ChargeCategory: 'usage',
    ChargeClass: null,
    ChargeDescription: 'description',
    ChargeFrequency: 'usageBased',
  }),
  ...of('1.0', 'time', { ChargePeriodEnd: 'dayEnd', ChargePeriodStart: 'dayStart' }),
  ...of('1.0', 'text', {
    CommitmentDiscountCategory: null,
    CommitmentDiscountId: null,
    CommitmentDiscountName: null,
    CommitmentDiscountStatus: null,
    CommitmentDiscountType: null,
  }),
  ...of('1.0', 'decimal', { ConsumedQuantity: 'hours' }),
  ...of('1.0', 'text', { ConsumedUnit: 'unit' }),
  ...of('1.0', 'decimal', {
    ContractedCost: 'cost',
    ContractedUnitPrice: 'rate',
    EffectiveCost: 'cost',
  }),
  ...of('1.0', 'text', { InvoiceIssuerName: 'provider' }),
  ...of('1.0', 'decimal', { ListCost: 'cost', ListUnitPrice: 'rate' }),
  ...of('1.0', 'text', { PricingCategory: 'standard' }),
  ...of('1.0', 'decimal', { PricingQuantity: 'hours' }),
  ...of('1.0', 'text', {
    PricingUnit: 'unit',
    ProviderName: 'provider',
    PublisherName: 'provider',
    RegionId: 'region',
    RegionName: 'region',
    ResourceId: 'resourceId',
    ResourceName: 'resource',
    ResourceType: 'resourceType',
    ServiceCategory: 'category',
    ServiceName: 'service',
    SkuId: 'sku',
    SkuPriceId: 'priceId',
    SubAccountId: 'projectId',
    SubAccountName: 'project',
  }),
  ...of('1.0', 'json', { Tags: 'tags' }),
  ...of('1.1', 'text', {
    CapacityReservationId: null,
    CapacityReservationStatus: null,
    CommitmentDiscountUnit: null,
    ServiceSubcategory: 'subcategory',
    SkuMeter: 'meter',
  }),
  ...of('1.1', 'decimal', { CommitmentDiscountQuantity: null }),
  ...of('1.1', 'json', { SkuPriceDetails: null }),
  ...of('1.2', 'text', {
    BillingAccountType: 'accountType',
    InvoiceId: null,
    PricingCurrency: 'currency',
    SubAccountType: 'subAccountType',
  }),
  ...of('1.2', 'decimal', {
    PricingCurrencyContractedUnitPrice: 'rate',
    PricingCurrencyEffectiveCost: 'cost',
    PricingCurrencyListUnitPrice: 'rate',
  }),
  ...of('1.3', 'json', { AllocatedMethodDetails: null, AllocatedTags: null, ContractApplied: null }),
  ...of('1.3', 'text', {
    AllocatedMethodId: null,
    AllocatedResourceId: null,
    AllocatedResourceName: null,
    HostProviderName: 'provider',
    ServiceProviderName: 'provider',
  }),
];

/** Columns of our own, behind the others: the exact figures, and what leads back to the ledger. */
export const ownColumns: Readonly<Record<string, string>> = {
  x_LineId: 'lineId',
  x_AmountMinor: 'amountMinor',
  x_QuantityMs: 'quantityMs',
  x_RequestedBy: 'requestedBy',
};
