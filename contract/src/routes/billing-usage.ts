import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { Money } from '../money.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';
import { Meter } from './billing.ts';

const strict = { additionalProperties: false } as const;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);
const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A day in UTC.' });
const Milliseconds = (description: string) => Type.String({ pattern: '^[0-9]+$', description });

/** What one group used in one hour, day or month. */
export const UsagePoint = Type.Object(
  {
    at: Type.String({ format: 'date-time', description: 'When the hour, day or month begins, in UTC.' }),
    key: Type.String({ description: 'The id or slug of the group; empty when everything is one group.' }),
    name: orNull(Type.String({ description: 'The display name of the group, if it has one.' })),
    amount: Money,
    meter: orNull(Type.Enum(Meter.enum, { description: 'The meter of the group; null where it has several.' })),
    quantity_ms: Milliseconds(
      'Units of the price (GPUs, whole nodes, or GiB) times milliseconds; of GPU time alone where the group has several meters.',
    ),
  },
  { $id: 'UsagePoint', ...strict },
);
export type UsagePoint = Static<typeof UsagePoint>;

export const BillingForecast = Type.Object(
  {
    state: Type.Enum(['available', 'unavailable'], {
      description: 'unavailable: there are fewer than 3 whole days of usage to go by.',
    }),
    method: Type.String({ description: 'How the forecast is made, in one paragraph.' }),
    /** Whole days of usage that it rests on, at most 28. */
    days_used: Type.Integer({ minimum: 0, maximum: 28 }),
    month: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$', description: 'The current month, in UTC.' }),
    month_to_date: Money,
    /** The whole month: expected, and the band that it should end in with 80 % probability. */
    expected: orNull(Money),
    low: orNull(Money),
    high: orNull(Money),
    days: Type.Array(
      Type.Object({ day: Day, expected: Money, low: Money, high: Money }, { ...strict, $id: 'ForecastDay' }),
      { description: 'Today and the following days, to the end of the month or 14 days ahead, whichever is later.' },
    ),
  },
  { $id: 'BillingForecast', ...strict },
);
export type BillingForecast = Static<typeof BillingForecast>;

export const BillingIdle = Type.Object(
  {
    from: Day,
    to: Day,
    state: Type.Enum(['available', 'unavailable'], {
      description: 'unavailable: no host reported how busy its GPUs were.',
    }),
    /** What was charged for time in which all GPUs of an allocation were reported as idle. */
    amount: orNull(Money),
    observed_percent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'The share of the charged time for which hosts reported how busy GPUs were.',
    }),
    rows: Type.Array(
      Type.Object(
        {
          allocation_id: Uuid,
          name: orNull(Type.String()),
          amount: Money,
          idle_ms: Milliseconds('How long all its GPUs were idle.'),
          observed_ms: Milliseconds('How long that is known for.'),
        },
        { ...strict, $id: 'IdleAllocation' },
      ),
      { description: 'The allocations with the highest idle cost; at most 20.' },
    ),
  },
  { $id: 'BillingIdle', ...strict },
);
export type BillingIdle = Static<typeof BillingIdle>;

const filters = {
  from: Type.Optional(Day),
  to: Type.Optional(Type.String({ ...Day, description: 'The last day, in UTC; default: today.' })),
  sku: Type.Optional(Type.String({ maxLength: 100, description: 'Only this SKU.' })),
  requested_by: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only what this person or service account launched, by id.' }),
  ),
  allocation_id: Type.Optional({ ...Uuid, description: 'Only this allocation.' }),
  meter: Type.Optional(Type.Enum(Meter.enum, { description: 'Only this meter.' })),
};
const ofOrganization = { ...filters, project_id: Type.Optional({ ...Uuid, description: 'Only this project.' }) };
const series = {
  interval: Type.Optional(
    Type.Enum(['hour', 'day', 'month'], { default: 'day', description: 'Hours for at most 7 days.' }),
  ),
  cursor: pageQuery.cursor,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 200, description: 'Rows on a page.' })),
};
const shared = {
  tag: 'Billing',
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
} as const;
const params = Type.Object({ organization_id: Uuid }, strict);

/** The one group that does not hold all of the cost. */
const groupHint =
  'app: the app that an allocation was launched together with or whose units were counted, as publisher/slug; empty for what belongs to none.';

export const billingUsageList = defineRoute({
  id: 'billing_usage_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/usage/series',
  summary: 'Usage and cost over time, in groups, oldest first',
  ...shared,
  errors: ['organization_not_found', 'period_invalid', 'cursor_invalid'],
  params,
  query: Type.Object(
    {
      ...ofOrganization,
      ...series,
      group_by: Type.Optional(
        Type.Enum(['none', 'project', 'user', 'sku', 'meter', 'allocation', 'app'], {
          default: 'none',
          description: groupHint,
        }),
      ),
    },
    strict,
  ),
  response: page(UsagePoint),
});

export const projectUsageList = defineRoute({
  id: 'project_usage_list',
  method: 'GET',
  path: '/api/v1/billing/usage/series',
  tag: 'Billing',
  summary: 'Usage and cost of a project over time, in groups, oldest first',
  auth: { kind: 'user', scope: 'usage:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'header' },
  lane: 'financial',
  errors: ['period_invalid', 'cursor_invalid'],
  query: Type.Object(
    {
      ...filters,
      ...series,
      group_by: Type.Optional(
        Type.Enum(['none', 'user', 'sku', 'meter', 'allocation', 'app'], { default: 'none', description: groupHint }),
      ),
    },
    strict,
  ),
  response: page(UsagePoint),
});

export const billingForecastGet = defineRoute({
  id: 'billing_forecast_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/forecast',
  summary: 'What the current month will cost, with a band',
  ...shared,
  errors: ['organization_not_found'],
  params,
  response: BillingForecast,
});

export const billingIdleGet = defineRoute({
  id: 'billing_idle_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/idle',
  summary: 'What was charged while GPUs were reported as idle',
  ...shared,
  errors: ['organization_not_found', 'period_invalid'],
  params,
  query: Type.Object({ from: filters.from, to: filters.to }, strict),
  response: BillingIdle,
});

export const billingUsageExport = defineRoute({
  id: 'billing_usage_export',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/usage/export',
  summary: 'Usage as a file: a row for each allocation or project that stored something and day, oldest first',
  ...shared,
  errors: ['organization_not_found', 'period_invalid', 'too_many_streams'],
  text: ['text/csv', 'application/vnd.apache.parquet'],
  stream: true,
  params,
  query: Type.Object(
    {
      ...ofOrganization,
      format: Type.Enum(['csv', 'focus', 'parquet'], {
        description:
          'csv: our own columns. focus: CSV with the columns of FOCUS 1.3. parquet: our own columns, binary.',
      }),
    },
    strict,
  ),
  response: Type.String({ description: 'The file, sent in pieces.' }),
});

export const billingLedgerExport = defineRoute({
  id: 'billing_ledger_export',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/ledger/export',
  summary: 'The whole ledger as lines of JSON with its hash chain, to verify without this server',
  ...shared,
  errors: ['organization_not_found', 'too_many_streams'],
  text: ['application/x-ndjson'],
  stream: true,
  params,
  response: Type.String({ description: 'First a line about the account, then a line for each entry, oldest first.' }),
});

export const RevenueRow = Type.Object(
  {
    day: Day,
    sku: Type.String(),
    amount: Money,
    quantity_ms: Milliseconds('Units of the price (GPUs, whole nodes, or GiB) times milliseconds.'),
    organizations: Type.Integer({ description: 'How many organizations were charged.' }),
  },
  { $id: 'RevenueRow', ...strict },
);
export type RevenueRow = Static<typeof RevenueRow>;
/** What was charged in one currency on all days together. */
export const RevenueTotal = Type.Object(
  {
    total: Money,
    skus: Type.Array(
      Type.Object(
        {
          sku: Type.String(),
          amount: Money,
          quantity_ms: Milliseconds('Units of the price (GPUs, whole nodes, or GiB) times milliseconds.'),
        },
        { ...strict, $id: 'RevenueSku' },
      ),
      { description: 'The highest amount first.' },
    ),
  },
  { $id: 'RevenueTotal', ...strict },
);
export type RevenueTotal = Static<typeof RevenueTotal>;

export const adminBillingRevenueGet = defineRoute({
  id: 'admin_billing_revenue_get',
  method: 'GET',
  path: '/api/v1/admin/billing/revenue',
  tag: 'AdminBilling',
  summary: 'What all organizations were charged, by day, SKU and currency',
  auth: { kind: 'admin', scope: 'billing:admin' },
  tenancy: { kind: 'none', why: 'Finance sees the revenue of all tenants together.' },
  lane: 'admin',
  errors: ['period_invalid'],
  query: Type.Object({ from: filters.from, to: filters.to }, strict),
  response: Type.Object(
    {
      from: Day,
      to: Day,
      rows: Type.Array(RevenueRow, { description: 'Oldest day first; at most 10,000.' }),
      totals: Type.Array(RevenueTotal, { description: 'The sums of the whole time, one for each currency.' }),
      made_at: Timestamp,
    },
    strict,
  ),
});
