import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

const tokenSql = sql(
  'node-enrolment-find',
  `select e.id, e.node_id, e.purpose, n.name, n.region, n.state from node_enrolments e join nodes n on n.id = e.node_id
   where e.token_hash = $1 and e.used_at is null and e.revoked_at is null and e.expires_at > act_time()
     and n.state not in ('removing', 'deleted') and (n.state <> 'retired' or e.purpose = 'reimage')`,
);
const useSql = sql(
  'node-enrolment-use',
  `update node_enrolments set used_at = act_time()
   where id = $1 and used_at is null and revoked_at is null and expires_at > act_time()`,
);
const nodeSql = sql('node-brief', 'select id, name, region, state from nodes where id = $1');
const lockSql = sql(
  'node-brief-lock',
  'select id, name, region, state, result_key from nodes where id = $1 for update',
);
const keySql = sql(
  'node-result-key',
  `update nodes set result_key = $2, enrolled_at = act_time(), version = version + 1, updated_at = act_time()
   where id = $1`,
);
const certificateSql = sql(
  'node-certificate-insert',
  'insert into node_certificates (serial, node_id, not_before, not_after) values ($1, $2, $3, $4)',
);
const renewedSql = sql(
  'node-certificate-renew',
  `insert into node_certificates (serial, node_id, not_before, not_after)
   select $1, $2::uuid, $3, $4 where node_certificate_held($2, $5)`,
);
const revokeSql = sql(
  'node-certificate-revoke',
  `update node_certificates set revoked_at = act_time(), revoke_reason = $2
   where node_id = $1 and revoked_at is null and not_after > act_time() and serial <> $3`,
);
const deniedSerialsSql = sql(
  'node-certificate-denied',
  'select serial from node_certificates where revoked_at is not null and not_after > act_time()',
);
const deniedNodesSql = sql('node-denied', `select id from nodes where state in ('removing', 'deleted')`);
const goodSql = sql(
  'node-certificate-good',
  `select n.id from nodes n where n.id = $1 and n.state not in ('removing', 'deleted') and node_certificate_held(n.id, $2)`,
);
const expiringSql = sql(
  'node-certificate-expiring',
  `select count(*) as expiring from nodes n
   where n.state in ('active', 'offline', 'draining', 'quarantined') and not exists (
     select from node_certificates c where c.node_id = n.id and c.revoked_at is null and c.not_after > $1)`,
);

export interface NodeBrief {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly state: string;
}
export interface OpenToken {
  readonly id: string;
  readonly node_id: string;
  readonly purpose: 'enrol' | 'recover' | 'reimage';
  readonly name: string;
  readonly region: string;
  readonly state: string;
}
/** The token, if it is good now. */
export const findToken = async (tx: ReadTx, hash: Buffer) => (await tx.rows<OpenToken>(tokenSql, [hash]))[0];
/** Whether this is its one use. */
export const useToken = async (tx: WriteTx, id: string): Promise<boolean> => (await tx.run(useSql, [id])) === 1;
export const findNode = async (tx: ReadTx, id: string) => (await tx.rows<NodeBrief>(nodeSql, [id]))[0];
/**
 * The same, with a lock on the identity of the node until the transaction ends. Every change of certificates and tokens
 * begins with it, so that a revocation sees what was issued before it.
 */
export const lockIdentity = async (tx: WriteTx, id: string) =>
  (await tx.rows<NodeBrief & { readonly result_key: string | null }>(lockSql, [id]))[0];
export const keepResultKey = (tx: WriteTx, nodeId: string, key: string) => tx.run(keySql, [nodeId, key]);
export const insertCertificate = (
  tx: WriteTx,
  nodeId: string,
  certificate: { readonly serial: string; readonly notBefore: Date; readonly notAfter: Date },
) => tx.run(certificateSql, [certificate.serial, nodeId, certificate.notBefore, certificate.notAfter]);
/** A certificate in place of the one that was shown; answers whether that one is still good. */
export const insertRenewed = async (
  tx: WriteTx,
  nodeId: string,
  shownSerial: string,
  { serial, notBefore, notAfter }: { readonly serial: string; readonly notBefore: Date; readonly notAfter: Date },
): Promise<boolean> => (await tx.run(renewedSql, [serial, nodeId, notBefore, notAfter, shownSerial])) === 1;
/** Ends what a node holds, but for one. */
export const revokeCertificates = (tx: WriteTx, nodeId: string, reason: string, except = '') =>
  tx.run(revokeSql, [nodeId, reason, except]);
export const listDenied = async (tx: ReadTx): Promise<{ serials: string[]; nodes: string[] }> => {
  const [serials, nodes] = await Promise.all([
    tx.rows<{ serial: string }>(deniedSerialsSql),
    tx.rows<{ id: string }>(deniedNodesSql),
  ]);
  return { serials: serials.map(({ serial }) => serial), nodes: nodes.map(({ id }) => id) };
};
/** Whether a certificate that a node showed elsewhere is one of its own and still good. */
export const holdsCertificate = async (tx: ReadTx, nodeId: string, serial: string): Promise<boolean> =>
  (await tx.rows(goodSql, [nodeId, serial])).length > 0;
/** Nodes that hold nothing that is good at that time. */
export const countExpiring = async (tx: ReadTx, by: Date): Promise<number> =>
  Number((await tx.rows<{ expiring: bigint }>(expiringSql, [by]))[0]?.expiring ?? 0);
