import type { AppEvidence, AppTrustState } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { PinnedKey } from './public-key.ts';

const insert = sql('app-verification-insert', 'insert into app_verifications (id, organization_id) values ($1, $2)');
const ask = sql(
  'app-verification-ask',
  `update app_verifications set asked_at = act_time(), due_at = act_time(), tries = 0
   where id = $1 and mine(organization_id)`,
);
const due = sql(
  'app-verifications-due',
  `select w.id from app_verifications w
     join app_version_trust t on t.id = w.id and mine(t.organization_id)
     join app_versions v on v.id = w.id and mine(v.organization_id)
   where w.due_at <= $1 and mine(w.organization_id) and t.state in ('unverified', 'failed_verification') and v.state <> 'retired'
   order by w.due_at, w.id limit $2`,
);
const keysFor = sql(
  'app-verification-keys',
  `select k.name, k.kind, k.public_key as "publicKey", k.fingerprint from app_signing_keys k
   where k.project_id = $1 and mine(k.organization_id) order by k.id`,
);
const hold = sql(
  'app-verification-hold',
  `select w.asked_at, w.tries, t.state from app_verifications w
     join app_version_trust t on t.id = w.id and mine(t.organization_id)
   where w.id = $1 and mine(w.organization_id) for update`,
);
const settle = sql(
  'app-verification-settle',
  `update app_verifications set tried_at = act_time(), due_at = $2, tries = $3, trouble = $4
   where id = $1 and mine(organization_id)`,
);
const counts = sql(
  'app-verification-counts',
  `select count(*)::int as open,
     count(*) filter (where w.trouble is not null)::int as troubled,
     coalesce(max(extract(epoch from $1 - w.due_at)) filter (where w.due_at <= $1), 0)::float8 as overdue
   from app_verifications w
     join app_version_trust t on t.id = w.id and mine(t.organization_id)
     join app_versions v on v.id = w.id and mine(v.organization_id)
   where w.due_at is not null and mine(w.organization_id) and t.state in ('unverified', 'failed_verification') and v.state <> 'retired'`,
);

export const insertVerification = (tx: WriteTx, id: string, organizationId: string) =>
  tx.run(insert, [id, organizationId]);
export const askVerification = (tx: WriteTx, id: string) => tx.run(ask, [id]);
export const listDueVerifications = async (tx: ReadTx, now: Date, limit: number): Promise<readonly string[]> =>
  (await tx.rows<{ id: string }>(due, [now, limit])).map(({ id }) => id);
export const listPinnedKeys = (tx: ReadTx, projectId: string) => tx.rows<PinnedKey>(keysFor, [projectId]);
export const holdVerification = async (
  tx: WriteTx,
  id: string,
): Promise<{ readonly asked_at: Date; readonly tries: number; readonly state: AppTrustState } | undefined> =>
  (await tx.rows<{ asked_at: Date; tries: number; state: AppTrustState }>(hold, [id]))[0];
export const settleVerification = (
  tx: WriteTx,
  id: string,
  to: { readonly dueAt: Date | undefined; readonly tries: number; readonly trouble: string | undefined },
) => tx.run(settle, [id, to.dueAt ?? null, to.tries, to.trouble ?? null]);
export const countVerifications = async (tx: ReadTx, now: Date) =>
  (await tx.rows<{ open: number; troubled: number; overdue: number }>(counts, [now]))[0] ?? {
    ...{ open: 0, troubled: 0, overdue: 0 },
  };

const note = sql(
  'app-trust-note',
  `update app_version_trust set evidence = $2, version = version + 1, updated_at = act_time() where id = $1 and mine(organization_id)`,
);
/** Evidence that changes nothing about the trust: something is still missing. */
export const noteEvidence = (tx: WriteTx, id: string, evidence: readonly AppEvidence[]) =>
  tx.run(note, [id, JSON.stringify(evidence)]);
