import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { Money } from '../money.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

const strict = { additionalProperties: false } as const;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);
const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'A day in UTC.' });

/** What usage is counted by. Each has its own unit and price. */
export const Meter = Type.Enum(['gpu_time', 'storage', 'app_units'], {
  description:
    'gpu_time: GPUs or whole nodes of an allocation, by the hour. storage: what a project stores, in GiB-hours. app_units: what an app counts and its version has a price for, as tokens.',
});

export const BillingBalance = Type.Object(
  {
    organization_id: Uuid,
    /** The sum of the ledger, before tax: what the organization may spend. A negative balance is owed. */
    balance: Money,
    /** What is held for orders; not part of the balance. */
    held: Money,
    /** The hourly cost of everything that runs, and of what is stored. Stopped machines cost nothing. */
    per_hour: Money,
    runway_seconds: orNull(
      Type.Integer({
        minimum: 0,
        description: 'How long the balance lasts at that rate; null when nothing is active.',
      }),
    ),
    state: Type.Enum(['healthy', 'low_balance', 'auto_release_pending', 'depleted'], {
      description: 'How far the balance reaches, where the organization pays ahead; healthy where it does not.',
    }),
    stops_at: orNull(
      Type.String({
        format: 'date-time',
        description:
          'When machines are stopped, if nothing is paid until then; null where nothing is announced, and where they are released without a stop.',
      }),
    ),
    stopped_machines: Type.Integer({
      minimum: 0,
      description: 'Machines that are stopped for lack of money. They keep their disks until the release.',
    }),
    releases_at: orNull(
      Type.String({ format: 'date-time', description: 'When everything is released, if nothing is paid until then.' }),
    ),
    charged_to: orNull(
      Type.String({
        format: 'date-time',
        description: 'Usage up to this time is in the balance; null before the first charge.',
      }),
    ),
    enforced: Type.Boolean({
      description: 'Whether the organization pays ahead: a launch needs a balance, and a spent one releases.',
    }),
    minimum_runway_minutes: Type.Integer({ description: 'The minimum runway for a launch, when it is enforced.' }),
    low_balance_threshold: Type.Object(Money.properties, {
      ...strict,
      description: 'A balance at or below this is low, however long it lasts.',
    }),
    steps: Type.Array(
      Type.Object(
        {
          step: Type.Enum(['warning', 'launches_refused', 'release_announced', 'depleted']),
          runway_seconds: Type.Integer({ minimum: 0, description: 'It happens when the balance lasts this long.' }),
          at: orNull(
            Type.String({
              format: 'date-time',
              description: 'When, at the present rate; null when it has happened, and when nothing is active.',
            }),
          ),
        },
        strict,
      ),
      { description: 'What happens while the balance falls, the first first; nothing where it is not enforced.' },
    ),
    gpu_time_speed: Type.Integer({
      minimum: 1,
      description: 'How many times as fast GPU time, and with it the runway, passes on simulated hosts.',
    }),
  },
  { $id: 'BillingBalance', ...strict },
);
export type BillingBalance = Static<typeof BillingBalance>;

export const LedgerKind = Type.Enum([
  'usage',
  'top_up',
  'refund',
  'grant',
  'correction',
  'hold',
  'hold_release',
  'tax',
]);

/**
 * Usage is one line for each allocation and day, and for what each project stored on a day; a line opens into its windows. Every other entry is a line of its own.
 */
export const LedgerLine = Type.Object(
  {
    id: Uuid,
    kind: LedgerKind,
    day: Day,
    /** The change of the balance. */
    amount: Money,
    at: orNull(Type.String({ format: 'date-time', description: 'The time of the entry; null for usage.' })),
    allocation_id: orNull(Uuid),
    allocation_name: orNull(Type.String()),
    project_id: orNull(Uuid),
    project_name: orNull(Type.String({ description: 'The project of usage; null for other lines.' })),
    meter: orNull(Meter),
    app_instance_id: orNull(Uuid),
    app_meter: orNull(
      Type.String({
        description: 'For app_units: the meter of the manifest and the version whose price it is, as tokens@1.2.0.',
      }),
    ),
    sku: orNull(Type.String({ description: 'The SKU; storage; or the app, as publisher/slug.' })),
    quantity_ms: orNull(
      Type.String({
        pattern: '^[0-9]+$',
        description: 'Units of the price (GPUs, whole nodes, or GiB) times milliseconds; for app_units their number.',
      }),
    ),
    windows: orNull(Type.Integer({ description: 'How many windows the line opens into.' })),
    reason: orNull(Type.String()),
    simulated: orNull(
      Type.Boolean({ description: 'Whether it is for a simulated host; null for lines without usage.' }),
    ),
  },
  { $id: 'LedgerLine', ...strict },
);
export type LedgerLine = Static<typeof LedgerLine>;

export const UsageWindow = Type.Object(
  {
    id: Uuid,
    from: Timestamp,
    to: Timestamp,
    quantity_ms: Type.String({
      pattern: '^[0-9]+$',
      description: 'Units times milliseconds; the number of units for unit, thousand_units and million_units.',
    }),
    unit: Type.Enum(['gpu_hour', 'node_hour', 'gib_hour', 'unit', 'thousand_units', 'million_units']),
    rate_micro: Type.String({
      pattern: '^[0-9]+$',
      description: 'Minor units for one of the unit (a GPU and hour, or a million tokens), times a million.',
    }),
    price_id: orNull(Uuid),
    amount: Money,
    /** The total charge of the allocation, or of what the project stores, up to and including this window. */
    charged: Money,
  },
  { $id: 'UsageWindow', ...strict },
);
export type UsageWindow = Static<typeof UsageWindow>;

export const UsageReport = Type.Object(
  {
    from: Day,
    to: Day,
    group_by: Type.Enum(['project', 'user', 'sku', 'meter', 'allocation', 'day', 'none']),
    /** The sum of all groups, also of those that did not fit. */
    total: Money,
    rows: Type.Array(
      Type.Object(
        {
          key: Type.String({ description: 'The id, slug or day of the group; empty when everything is one group.' }),
          name: orNull(Type.String({ description: 'The display name of the group, if it has one.' })),
          amount: Money,
          meter: orNull(Type.Enum(Meter.enum, { description: 'The meter of the group; null where it has several.' })),
          quantity_ms: Type.String({
            pattern: '^[0-9]+$',
            description:
              'Of the one meter of the group; of GPU time alone where it has several. For app_units their number.',
          }),
          simulated: orNull(
            Type.Boolean({
              description: 'Whether the allocation is on a simulated host; null where a group is not one allocation.',
            }),
          ),
        },
        strict,
      ),
      { description: 'Days in order, other groups by cost, highest first; at most 1,000.' },
    ),
  },
  { $id: 'UsageReport', ...strict },
);
export type UsageReport = Static<typeof UsageReport>;

export const LedgerCheck = Type.Object(
  {
    ok: Type.Boolean(),
    entries: Type.Integer(),
    /** The sum of all entries. */
    sum: Money,
    /** The stored balance; equal to the sum when all is well. */
    balance: Money,
    problem: orNull(
      Type.String({
        description: 'What does not match, beginning with the first wrong link of the chain or entry.',
      }),
    ),
    checked_at: Timestamp,
  },
  { $id: 'LedgerCheck', ...strict },
);
export type LedgerCheck = Static<typeof LedgerCheck>;

const shared = {
  tag: 'Billing',
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
} as const;
const organizationParams = Type.Object({ organization_id: Uuid }, strict);
const span = {
  from: Type.Optional(Day),
  to: Type.Optional(Type.String({ ...Day, description: 'The last day, in UTC; default: today.' })),
  sku: Type.Optional(Type.String({ maxLength: 100, description: 'Only this SKU.' })),
  requested_by: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only what this person or service account launched, by id.' }),
  ),
  allocation_id: Type.Optional({ ...Uuid, description: 'Only this allocation.' }),
  meter: Type.Optional(Type.Enum(Meter.enum, { description: 'Only this meter.' })),
};

export const billingBalanceGet = defineRoute({
  id: 'billing_balance_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/balance',
  summary: 'The balance of an organization and how long it lasts',
  ...shared,
  errors: ['organization_not_found'],
  params: organizationParams,
  response: BillingBalance,
});

export const billingLedgerList = defineRoute({
  id: 'billing_ledger_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/ledger',
  summary: 'The ledger of an organization, newest day first',
  ...shared,
  errors: ['organization_not_found', 'cursor_invalid'],
  params: organizationParams,
  query: Type.Object(pageQuery, strict),
  response: page(LedgerLine),
});

export const billingLedgerVerify = defineRoute({
  id: 'billing_ledger_verify',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/ledger/verify',
  summary: 'Verify the ledger: its chain, its sum, and the usage behind it',
  ...shared,
  errors: ['organization_not_found'],
  params: organizationParams,
  response: LedgerCheck,
});

export const billingWindowList = defineRoute({
  id: 'billing_window_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/ledger/{line_id}/windows',
  summary: 'The windows of a usage line, oldest first',
  ...shared,
  errors: ['organization_not_found', 'ledger_line_not_found', 'cursor_invalid'],
  params: Type.Object({ organization_id: Uuid, line_id: Uuid }, strict),
  query: Type.Object(pageQuery, strict),
  response: page(UsageWindow),
});

export const billingUsageGet = defineRoute({
  id: 'billing_usage_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/usage',
  summary: 'Usage and cost of an organization, by project, person, SKU, meter, allocation or day',
  ...shared,
  errors: ['organization_not_found', 'period_invalid'],
  params: organizationParams,
  query: Type.Object(
    {
      ...span,
      project_id: Type.Optional({ ...Uuid, description: 'Only this project.' }),
      group_by: Type.Optional(
        Type.Enum(['project', 'user', 'sku', 'meter', 'allocation', 'day', 'none'], { default: 'day' }),
      ),
    },
    strict,
  ),
  response: UsageReport,
});

export const projectUsageGet = defineRoute({
  id: 'project_usage_get',
  method: 'GET',
  path: '/api/v1/billing/usage',
  tag: 'Billing',
  summary: 'Usage and cost of a project, by person, SKU, meter, allocation or day',
  auth: { kind: 'user', scope: 'usage:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'header' },
  lane: 'financial',
  errors: ['period_invalid'],
  query: Type.Object(
    {
      ...span,
      group_by: Type.Optional(Type.Enum(['user', 'sku', 'meter', 'allocation', 'day', 'none'], { default: 'day' })),
    },
    strict,
  ),
  response: UsageReport,
});
