import { hash } from 'node:crypto';
import { sql, type WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { minuteMs } from '../../../kernel/units.ts';
import { enrolmentTokenBytes } from '../facts.ts';

const voidSql = sql(
  'node-enrolment-void',
  'update node_enrolments set revoked_at = act_time() where node_id = $1 and used_at is null and revoked_at is null',
);
const insertSql = sql(
  'node-enrolment-insert',
  `insert into node_enrolments (id, node_id, purpose, token_hash, expires_at) values ($1, $2, $3, $4, $5)`,
);

export const enrolmentTokenPrefix = 'gpuaas_node_';

/** What is kept of a token: enough to know it again, not enough to use it. */
export const hashEnrolmentToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** `reimage` is for a host whose deployment was given the token, and nobody else: it has lost its key with its disks. */
export type TokenPurpose = 'enrol' | 'recover' | 'reimage';
export interface IssuedToken<P extends TokenPurpose = 'enrol' | 'recover'> {
  readonly id: string;
  readonly token: string;
  readonly purpose: P;
  readonly expiresAt: Date;
}

/** Whatever was issued for a node and not used is void from now on. */
export const voidEnrolmentTokens = (tx: WriteTx, nodeId: string): Promise<number> => tx.run(voidSql, [nodeId]);

/** A token for one node, to be shown once. Earlier ones are void. */
export async function issueEnrolmentToken<P extends TokenPurpose>(
  tx: WriteTx,
  parts: { readonly ids: Ids; readonly clock: Clock },
  of: { readonly nodeId: string; readonly purpose: P; readonly ttlMinutes: number },
): Promise<IssuedToken<P>> {
  const id = parts.ids.next();
  const token = `${enrolmentTokenPrefix}${parts.ids.secret(enrolmentTokenBytes)}`;
  const expiresAt = new Date(parts.clock.now().getTime() + of.ttlMinutes * minuteMs);
  await voidEnrolmentTokens(tx, of.nodeId);
  await tx.run(insertSql, [id, of.nodeId, of.purpose, hashEnrolmentToken(token), expiresAt]);
  return { id, token, purpose: of.purpose, expiresAt };
}
