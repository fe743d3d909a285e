import { definePolicy } from './policy.ts';

const perMinute = (key: `rate_limit.${string}`, fallback: number, description: string) =>
  definePolicy({
    key,
    type: 'integer',
    default: fallback,
    minimum: 1,
    maximum: 1_000_000,
    unit: 'requests per minute',
    description,
    owner: 'edge',
  });

export const policies = [
  perMinute('rate_limit.api_requests_per_minute', 120, 'Requests of one caller in the default lane.'),
  perMinute(
    'rate_limit.financial_requests_per_minute',
    30,
    'Requests of one caller for payments, refunds and balances.',
  ),
  perMinute('rate_limit.admin_overview_requests_per_minute', 600, 'Requests of one operator in the admin lane.'),
  perMinute('rate_limit.terminal_token_requests_per_minute', 10, 'Terminal tokens minted by one caller.'),
  definePolicy({
    key: 'idempotency.retention_hours',
    type: 'integer',
    default: 24,
    minimum: 1,
    maximum: 720,
    unit: 'hours',
    description: 'How long a stored response answers a repeated Idempotency-Key.',
    owner: 'edge',
  }),
  definePolicy({
    key: 'events.publish_max_attempts',
    type: 'integer',
    default: 8,
    minimum: 1,
    maximum: 100,
    unit: 'attempts',
    description: 'Tries to publish one event that the bus refuses before it becomes a dead letter.',
    owner: 'outbox',
  }),
  definePolicy({
    key: 'events.consume_max_attempts',
    type: 'integer',
    default: 5,
    minimum: 1,
    maximum: 100,
    unit: 'attempts',
    description: 'Deliveries of one event to a failing consumer before it becomes a dead letter.',
    owner: 'outbox',
  }),
  definePolicy({
    key: 'events.retention_days',
    type: 'integer',
    default: 7,
    minimum: 1,
    maximum: 365,
    unit: 'days',
    description: 'How long published events stay in the outbox, for replay and for streams that resume.',
    owner: 'outbox',
  }),
] as const;

export type PolicyKey = (typeof policies)[number]['key'];
