import {
  acceptedSignerStates,
  type NodeHeartbeatAnswer,
  type SignerVersion,
  statementText,
} from '@gpuaas/contract/node';
import { signersAnnounced } from '../facts.ts';
import type { SignerKeys } from './signer-keys.ts';
import type { ListedSigner, SignerRow } from './signers-store.ts';

/** The list of keys that nodes get, signed as a whole by the active one. */
export type AnnouncedSigners = Pick<NodeHeartbeatAnswer, 'signers' | 'signers_statement'>;

export const announceSigner = (row: SignerRow): SignerVersion => ({
  signer_version_id: row.id,
  public_key: row.public_key,
  state: row.state,
  published_at: row.published_at.toISOString(),
  effective_at: row.effective_at.toISOString(),
  ...(row.retires_at && { retires_at: row.retires_at.toISOString() }),
  ...(row.endorsed_by !== null && row.endorsement !== null
    ? { endorsed_by: row.endorsed_by, endorsement: row.endorsement }
    : {}),
});
/** Those that are obeyed first, then what vouches for them, one after the other back in time, then the revoked ones. */
function chooseAnnounced(rows: readonly SignerRow[]): SignerRow[] {
  const announced = new Map(rows.filter(isAccepted).map((row) => [row.id, row]));
  for (const { endorsed_by: by } of announced.values()) {
    const before = by === null ? undefined : rows.find(({ id }) => id === by);
    if (before && announced.size < signersAnnounced) announced.set(before.id, before);
  }
  for (const row of rows) if (row.state === 'revoked' && announced.size < signersAnnounced) announced.set(row.id, row);
  return [...announced.values()];
}
export const isAccepted = ({ state }: SignerRow): boolean => acceptedSignerStates.includes(state);

/** Without keys of ours the list is not signed. */
export function announceSigners(rows: readonly ListedSigner[], keys: SignerKeys | undefined): AnnouncedSigners {
  const signers = chooseAnnounced(rows).map(announceSigner);
  const active = rows.find(({ state }) => state === 'active');
  if (!active || !keys) return { signers };
  const of = { stated_by: active.id, sequence: Number(active.sequence) };
  return { signers, signers_statement: { ...of, signature: keys.sign(active, statementText({ ...of, signers })) } };
}
