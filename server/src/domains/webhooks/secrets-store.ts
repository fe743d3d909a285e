import { type BeginAct, type Database, sql } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { sealedRows } from '../../kernel/secrets/sealed-rows.ts';
import type { SealedValues } from '../../kernel/secrets/sealed-values.ts';

/** Where the secret of a webhook lies, as far as its seal goes. */
export const secretPlace = (id: string): string => `webhook_secrets.sealed ${id}`;

const count = sql(
  'webhook-secret-sealed-count',
  `select sealed_key_id(sealed) as key_id, count(*) as values from webhook_secrets where mine(organization_id)
   group by 1 order by 1`,
);
const stale = sql(
  'webhook-secret-sealed-stale',
  `select id::text as at, sealed from webhook_secrets
   where sealed_key_id(sealed) = any ($1::text[]) and id::text > $2 and mine(organization_id) order by id::text limit $3`,
);
const replace = sql(
  'webhook-secret-sealed-replace',
  `update webhook_secrets set sealed = $3 where id = $1 and sealed = $2 and mine(organization_id)`,
);

/** What signs the webhooks of tenants. */
export const sealedWebhookSecrets = (parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly seal: Seal;
}): SealedValues =>
  sealedRows({ ...parts, purpose: 'webhooks', table: 'webhook_secrets', place: secretPlace, count, stale, replace });
