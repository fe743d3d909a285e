import type { ArgSpec, FlagSpec } from '../command.ts';

/** Arguments and flags that many commands share. */

export const allocation: ArgSpec = {
  name: 'ID',
  meaning: 'an allocation: its id, its name, or @last',
  field: 'allocation_id',
  as: 'allocation',
};
export const node: ArgSpec = { name: 'NODE', meaning: 'a host, by name or id', field: 'node_id', as: 'node' };
export const skuArg: ArgSpec = { name: 'SKU', meaning: 'as gpuaas sku list shows it', field: 'sku' };
export const userArg: ArgSpec = { name: 'USER', meaning: 'the id of a person', field: 'user_id' };
export const sessionArg: ArgSpec = { name: 'SESSION', meaning: 'the id of a session', field: 'session_id' };

/** Any organization, for finance. */
export const account: ArgSpec = {
  ...{ name: 'ORGANIZATION', field: 'organization_id', as: 'account' },
  meaning: 'an organization, by slug or id',
};
/** Money as people write it; the field takes minor units. */
export const amount = (field: string, meaning: string): FlagSpec => ({
  ...{ type: 'string', value: 'AMOUNT', as: 'amount', field, meaning },
});
export const currency: FlagSpec = {
  ...{ type: 'string', value: 'CODE' },
  meaning: 'refuse an account in another currency (default: the one of the account)',
};

export const limit: FlagSpec = {
  type: 'string',
  value: 'N',
  as: 'number',
  meaning: 'the maximum number of rows (default: 100)',
};
export const reason: FlagSpec = { type: 'string', value: 'TEXT', meaning: 'the reason, for the audit log' };
/** Required: other people will want to know why. */
export const because: FlagSpec = { ...reason, needed: true };
export const timeout: FlagSpec = { type: 'string', value: 'TIME', meaning: 'how long to wait (default: 15m)' };
export const region: FlagSpec = { type: 'string', value: 'REGION', meaning: 'where' };
export const sku: FlagSpec = { type: 'string', value: 'SKU', meaning: 'only of this kind' };
export const version: FlagSpec = {
  type: 'string',
  value: 'N',
  as: 'number',
  meaning: 'only if the version is still this one',
};
/** It selects the path of the call and fills no field. */
export const organization: FlagSpec = {
  type: 'string',
  value: 'ORGANIZATION',
  as: 'organization',
  field: 'organization_id',
  meaning: 'by id or slug (default: the one of the project)',
};
export const scopes: FlagSpec = {
  type: 'string',
  value: 'SCOPE,…',
  as: 'list',
  needed: true,
  meaning: 'the scopes',
};
export const label: FlagSpec = {
  type: 'string',
  value: 'KEY=VALUE',
  many: true,
  as: 'pairs',
  field: 'labels',
  meaning: 'a tag, KEY=VALUE',
};
export const days = (otherwise: string): FlagSpec => ({
  type: 'string',
  value: 'N',
  as: 'number',
  field: 'expires_in_days',
  otherwise,
  meaning: `the lifetime in days (default: ${otherwise})`,
});
export const oneOf = (value: string, choices: readonly string[], meaning: string): FlagSpec => ({
  type: 'string',
  value,
  choices,
  meaning,
});

export const slug: FlagSpec = {
  type: 'string',
  value: 'SLUG',
  follows: 'name',
  meaning: 'the slug (default: from the name)',
};
