import { type Static, Type } from 'typebox';
import { Name, Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const Amount = Type.Object(Money.properties, strict);

export const BudgetScope = Type.Enum(['organization', 'project', 'user', 'tag']);

/** What may be spent in a month (UTC), by an organization, a project, a person or a tag. */
export const Budget = Type.Object(
  {
    id: Uuid,
    name: Name,
    scope: BudgetScope,
    subject: orNull(
      Type.String({ description: 'The project, the person, or the tag as key=value; null for the organization.' }),
    ),
    subject_name: orNull(Type.String({ description: 'The name of the project.' })),
    soft: orNull(Amount),
    hard: orNull(Amount),
    /** Charged in this month. */
    spent: Amount,
    /** Held for orders that have not ended. */
    held: Amount,
    period: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$', description: 'The month, in UTC.' }),
    state: Type.Enum(['within', 'soft_reached', 'hard_reached']),
    version: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Budget', ...strict },
);
export type Budget = Static<typeof Budget>;

const Minor = (description: string) => Type.String({ pattern: '^[1-9][0-9]{0,14}$', description });
const soft = Minor('In whole minor units: reached, it sends an event, once a month.');
const hard = Minor('In whole minor units: launches that would go beyond it are refused.');
const shared = {
  tag: 'Billing',
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
} as const;
const writer = { kind: 'user', scope: 'billing:write', serviceAccounts: 'refused' } as const;
const ofOrganization = Type.Object({ organization_id: Uuid }, strict);
const ofOne = Type.Object({ organization_id: Uuid, budget_id: Uuid }, strict);

export const budgetList = defineRoute({
  id: 'budget_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/budgets',
  summary: 'The budgets of an organization, and what this month has spent of them',
  ...shared,
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  errors: ['organization_not_found'],
  params: ofOrganization,
  response: Type.Object({ data: Type.Array(Budget, { description: 'At most 1,000.' }) }, strict),
});

export const budgetCreate = defineRoute({
  id: 'budget_create',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/billing/budgets',
  summary: 'Create a budget for an organization, a project, a person or a tag',
  ...shared,
  auth: writer,
  idempotency: 'key',
  audit: 'budget.create',
  errors: [
    'organization_not_found',
    'project_not_found',
    'member_not_found',
    'currency_mismatch',
    'budget_invalid',
    'budget_already_exists',
    'budget_limit_reached',
  ],
  status: 201,
  params: ofOrganization,
  body: Type.Object(
    {
      name: Name,
      scope: BudgetScope,
      subject: Type.Optional(
        Type.String({
          maxLength: 264,
          pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$',
          description: 'The id of the project or person, or key=value; left out for the organization.',
        }),
      ),
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'The currency of the account, as a safeguard.' }),
      soft_minor: Type.Optional(soft),
      hard_minor: Type.Optional(hard),
    },
    strict,
  ),
  response: Budget,
});

export const budgetUpdate = defineRoute({
  id: 'budget_update',
  method: 'PATCH',
  path: '/api/v1/organizations/{organization_id}/billing/budgets/{budget_id}',
  summary: 'Rename a budget or change its thresholds; null removes one',
  ...shared,
  auth: writer,
  idempotency: 'key',
  audit: 'budget.update',
  errors: ['organization_not_found', 'budget_not_found', 'budget_invalid', 'version_conflict'],
  params: ofOne,
  body: Type.Object(
    {
      name: Type.Optional(Name),
      soft_minor: Type.Optional(orNull(soft)),
      hard_minor: Type.Optional(orNull(hard)),
      version: Type.Optional(Type.Integer({ minimum: 1, description: 'The version that you saw.' })),
    },
    { ...strict, minProperties: 1 },
  ),
  response: Budget,
});

export const budgetRemove = defineRoute({
  id: 'budget_remove',
  method: 'DELETE',
  path: '/api/v1/organizations/{organization_id}/billing/budgets/{budget_id}',
  summary: 'Remove a budget',
  ...shared,
  auth: writer,
  idempotency: 'key',
  audit: 'budget.remove',
  errors: ['organization_not_found', 'budget_not_found'],
  params: ofOne,
  response: Budget,
});
