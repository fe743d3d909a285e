import {
  type SignedSshCertificate,
  type SshCertificate,
  sshCertificateList,
  sshCertificateRevoke,
  sshCertificateSign,
} from '@gpuaas/contract';
import { certifiedTypes } from '@gpuaas/contract/ssh';
import { sshAlias } from '@gpuaas/contract/terminal';
import { type Act, handlers, type InOrganization, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import { secondMs } from '../../../kernel/units.ts';
import { readPublicKey } from '../../ssh/index.ts';
import { certificateKeptSeconds } from '../facts.ts';
import { mayEnterUntil, notYours, recordingOf, whyNot } from '../mint-routes.ts';
import type { TerminalParts } from '../parts.ts';
import { findTarget, isAdministrator } from '../rights-store.ts';
import { whyNoStream } from '../streams.ts';
import { signCertificate } from './sign.ts';
import {
  type CertificateRow,
  forgetCertificates,
  holdCertificate,
  insertCertificate,
  listCertificates,
  revokeCertificate,
} from './store.ts';

type Parts = Pick<TerminalParts, 'db' | 'ids' | 'clock' | 'policies' | 'gateway' | 'platformKeys'>;
const on = handlers<Parts>();
const absent = () => new Fault('allocation_not_found', 'There is no such allocation.');

/** The public key, checked; or why nobody signs it. */
function readSubject({ policies }: Parts, act: Act & InOrganization, text: string) {
  const key = readPublicKey(text, { rsaMinBits: policies.number('ssh.rsa_min_bits', act) });
  if ('why' in key) return new Fault('ssh_key_invalid', key.why);
  return certifiedTypes.includes(key.type)
    ? key
    : new Fault('ssh_key_invalid', 'RSA keys get no certificate: make a key with ssh-keygen -t ed25519.');
}

const sign = on(sshCertificateSign, async (parts, act, { params, body }) => {
  const { db, ids, clock, policies, platformKeys } = parts;
  if (!platformKeys || policies.value('ssh.certificates', act) !== true) {
    return new Fault('terminal_unsupported', 'SSH certificates are switched off here. Use an SSH key.');
  }
  const key = readSubject(parts, act, body.public_key);
  if (key instanceof Fault) return key;
  const authority = await platformKeys.current('user_authority');
  return db.write(act, async (tx) => {
    const target = await findTarget(tx, params.allocation_id);
    if (!target) return tx.abandon(absent());
    const until = await mayEnterUntil(tx, target, act);
    if (!until) return tx.abandon(notYours());
    const refused =
      whyNot(target, parts.gateway !== undefined) ??
      whyNoStream(policies, act, { kind: 'ssh' }, recordingOf(policies.value('terminal.recording', act)));
    if (refused) return tx.abandon(refused as Fault<'terminal_unsupported'>);
    const most = policies.number('ssh.certificate_seconds', act);
    const now = clock.now();
    const wanted = new Date(now.getTime() + Math.min(body.seconds ?? most, most) * secondMs);
    // The machine itself knows no grants: what a grant gave must not outlive it there.
    const expires_at = until === 'always' || until > wanted ? wanted : until;
    const id = ids.next();
    const principal = sshAlias(target.id);
    const { line, serial, fingerprint } = signCertificate(authority, {
      ...{ publicKey: key.line, keyId: `gpuaas ${id} ${act.actorId}`, principal, now, expiresAt: expires_at },
    });
    await forgetCertificates(tx, target.id, certificateKeptSeconds);
    const row = await insertCertificate(tx, {
      ...{ id, organization_id: target.organization_id, project_id: target.project_id, allocation_id: target.id },
      ...{ user_id: act.actorId, serial, fingerprint, key_fingerprint: key.fingerprint, expires_at },
      authorityNumber: authority.number,
    });
    return tx.commit<SignedSshCertificate>(
      { ...show(row), certificate: line, username: target.login?.username ?? '', principals: [principal] },
      {
        target: { type: 'ssh_certificate', id },
        change: {
          ...{ allocation_id: target.id, serial: String(serial), key_fingerprint: key.fingerprint },
          ...{ authority: authority.number, expires_at: expires_at.toISOString() },
        },
        events: 'none',
      },
    );
  });
});

const list = on(sshCertificateList, async ({ db }, who, { params, query }) => {
  if (!(await db.read(who, (tx) => findTarget(tx, params.allocation_id)))) return absent();
  const of = { organizationId: who.organizationId, allocationId: params.allocation_id };
  return readPage({
    name: 'ssh-certificates',
    query,
    read: (before, limit) => db.read(who, (tx) => listCertificates(tx, of, before, limit)),
    keyOf: (row) => row.id,
    show,
  });
});

const revoke = on(sshCertificateRevoke, ({ db }, act, { params }) =>
  db.write(act, async (tx) => {
    const row = await holdCertificate(tx, params.ssh_certificate_id, params.allocation_id);
    if (!row) return tx.abandon(new Fault('ssh_certificate_not_found', 'The allocation has no such certificate.'));
    if (row.user_id !== act.actorId && !isAdministrator(act.actorRole)) {
      return tx.abandon(
        new Fault('ownership_required', 'Only the person of the certificate, or an admin or owner, may revoke it.'),
      );
    }
    const revoked = (await revokeCertificate(tx, row.id)) ?? row;
    return tx.commit(show(revoked), {
      target: { type: 'ssh_certificate', id: row.id },
      about: row.user_id,
      change: { allocation_id: row.allocation_id, serial: String(row.serial), user_id: row.user_id },
      events: 'none',
    });
  }),
);

const show = (row: CertificateRow): SshCertificate => ({
  ...{ id: row.id, organization_id: row.organization_id, project_id: row.project_id, user_id: row.user_id },
  ...{ allocation_id: row.allocation_id, serial: String(row.serial), key_fingerprint: row.key_fingerprint },
  ...{ created_at: row.created_at.toISOString(), expires_at: row.expires_at.toISOString() },
  revoked_at: row.revoked_at?.toISOString() ?? null,
});

export const certificateRoutes = (parts: Parts): Mounted[] => [sign, list, revoke].map((bind) => bind(parts));
