import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface CertificateRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly allocation_id: string;
  readonly user_id: string;
  readonly serial: bigint;
  readonly key_fingerprint: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
}
const insert = sql(
  'ssh-certificate-insert',
  `insert into ssh_certificates (id, organization_id, project_id, allocation_id, user_id, serial, fingerprint, key_fingerprint,
     authority_number, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   returning id, organization_id, project_id, allocation_id, user_id, serial, key_fingerprint, created_at, expires_at,
     revoked_at`,
);
const list = sql(
  'ssh-certificate-list',
  `select id, organization_id, project_id, allocation_id, user_id, serial, key_fingerprint, created_at, expires_at,
     revoked_at
   from ssh_certificates
   where organization_id = $1 and allocation_id = $2 and mine(organization_id) and ($3::uuid is null or id < $3)
   order by id desc limit $4`,
);
const find = sql(
  'ssh-certificate-find',
  `select id, organization_id, project_id, allocation_id, user_id, serial, key_fingerprint, created_at, expires_at,
     revoked_at
   from ssh_certificates where id = $1 and allocation_id = $2 and mine(organization_id) for update`,
);
const revoke = sql(
  'ssh-certificate-revoke',
  `update ssh_certificates set revoked_at = coalesce(revoked_at, act_time()) where id = $1 and mine(organization_id)
   returning id, organization_id, project_id, allocation_id, user_id, serial, key_fingerprint, created_at, expires_at,
     revoked_at`,
);
const forget = sql(
  'ssh-certificates-forget',
  `delete from ssh_certificates
   where allocation_id = $1 and mine(organization_id) and expires_at < act_time() - $2::integer * interval '1 second'`,
);

export async function insertCertificate(
  tx: WriteTx,
  one: Omit<CertificateRow, 'created_at' | 'revoked_at'> & {
    readonly fingerprint: string;
    readonly authorityNumber: number;
  },
): Promise<CertificateRow> {
  const [row] = await tx.rows<CertificateRow>(insert, [
    ...[one.id, one.organization_id, one.project_id, one.allocation_id, one.user_id, one.serial],
    ...[one.fingerprint, one.key_fingerprint, one.authorityNumber, one.expires_at],
  ]);
  if (!row) throw new Error('an SSH certificate was not written');
  return row;
}
export const listCertificates = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly allocationId: string },
  before: string | undefined,
  limit: number,
) => tx.rows<CertificateRow>(list, [of.organizationId, of.allocationId, before ?? null, limit]);
/** The same, and nobody else changes it until this act ends. */
export const holdCertificate = async (tx: WriteTx, id: string, allocationId: string) =>
  (await tx.rows<CertificateRow>(find, [id, allocationId]))[0];
export const revokeCertificate = async (tx: WriteTx, id: string) => (await tx.rows<CertificateRow>(revoke, [id]))[0];
export const forgetCertificates = (tx: WriteTx, allocationId: string, olderThanSeconds: number) =>
  tx.run(forget, [allocationId, olderThanSeconds]);
