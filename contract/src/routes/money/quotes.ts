import { type Static, Type } from 'typebox';
import { Slug, Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { defineRoute } from '../../route.ts';
import { launchFields, Price, SkuName } from '../allocations/allocations.ts';
import { BudgetScope } from './budgets.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const Amount = Type.Object(Money.properties, strict);
const Seconds = Type.Integer({ minimum: 0 });

export const Quote = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    sku: Type.String(),
    gpus: Type.Integer(),
    region: Type.String(),
    price: Price,
    created_at: Timestamp,
    /** A launch with this quote pays this price until then, once. */
    expires_at: Timestamp,
    ends: orNull(
      Type.Object(
        {
          after_seconds: Type.Integer({ description: 'How long the allocation would be active at most.' }),
          because: Type.Enum(['max_spend', 'max_duration']),
          /** What it costs until then. */
          cost: Amount,
        },
        { ...strict, description: 'When it would end by itself; null when it has no end.' },
      ),
    ),
    hold: Type.Object(Money.properties, {
      ...strict,
      description: 'What the launch sets aside; nothing where the organization does not pay ahead.',
    }),
    affordable: Type.Boolean({ description: 'Whether balance and budgets allow the launch now.' }),
    why_not: orNull(Type.String()),
    account: orNull(
      Type.Object(
        {
          balance: Amount,
          balance_after: Amount,
          per_hour_after: Amount,
          runway_seconds: orNull(Seconds),
          runway_seconds_after: orNull(Seconds),
        },
        { ...strict, description: 'What the launch does to the account; null for callers who may not see it.' },
      ),
    ),
    budgets: Type.Array(
      Type.Object(
        {
          id: Uuid,
          name: Type.String(),
          scope: BudgetScope,
          /** Charged this month, held for orders, and the hold of this launch. */
          counted: Amount,
          soft: orNull(Amount),
          hard: orNull(Amount),
          blocks: Type.Boolean({ description: 'Whether its hard threshold refuses the launch.' }),
        },
        strict,
      ),
      {
        description:
          'The budgets that count this launch. Budgets of the organization are shown to those who see its account.',
      },
    ),
  },
  { $id: 'Quote', ...strict },
);
export type Quote = Static<typeof Quote>;

export const quoteCreate = defineRoute({
  id: 'quote_create',
  method: 'POST',
  path: '/api/v1/quotes',
  tag: 'Billing',
  summary: 'Quote a launch: its price, locked for a while, and what it does to balance, runway and budgets',
  auth: { kind: 'user', scope: 'allocations:write', serviceAccounts: 'allowed' },
  tenancy: { kind: 'header' },
  lane: 'financial',
  idempotency: 'key',
  audit: 'quote.create',
  errors: [
    'project_not_found',
    'sku_not_found',
    'region_not_found',
    'os_image_not_found',
    'gpu_count_invalid',
    'duration_invalid',
    'ssh_key_not_found',
    'currency_mismatch',
    'max_spend_too_low',
  ],
  status: 201,
  body: Type.Object(
    {
      sku: SkuName,
      gpus: launchFields.gpus,
      region: Slug,
      max_duration_seconds: launchFields.max_duration_seconds,
      max_spend: launchFields.max_spend,
    },
    strict,
  ),
  response: Quote,
});
