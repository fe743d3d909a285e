import { generateKeyPairSync, hash, randomBytes, randomInt, sign } from 'node:crypto';
import { ed25519, ed25519Blob, keyLine, sshConcat, sshString, sshUint32 } from '@gpuaas/contract/ssh';
import { proofNamespace, sshsig } from '../../src/domains/ssh/facts.ts';
import { proofText } from '../../src/domains/ssh/proof.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, type Tenant, type World } from '../../src/testing/world.ts';
import type { MakeExample } from './examples.ts';
import { machine, personOf } from './people-examples.ts';

const freshKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const blob = ed25519Blob(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
  return { privateKey, blob, line: keyLine(ed25519, blob) };
};
const fingerprintOf = (bytes: Uint8Array) => `SHA256:${hash('sha256', bytes, 'base64').slice(0, 43)}`;
const inHours = (world: World, hours: number) => new Date(world.now().getTime() + hours * 3_600_000).toISOString();

/** A new member who may use allocations of the organization. */
const colleague = async (world: World, tenant: Tenant): Promise<string> =>
  personOf(world, await world.join(`colleague-${systemIds.next().slice(-12)}`, tenant, 'member'));

/** A grant in an allocation that the caller decides about. */
const ofGrant: MakeExample = async (world, tenant, caller) => {
  const [id, allocation] = [systemIds.next(), await machine(world, tenant, caller)];
  await asSystem(
    world.root,
    `insert into allocation_access_grants (id, organization_id, project_id, allocation_id, user_id, reason, granted_by, expires_at)
     values ($1, $2, $3, $4, $5, 'an example', $6, $7)`,
    [
      ...[id, tenant.organizationId, tenant.projectId, allocation, await colleague(world, tenant)],
      ...[await personOf(world, tenant.token), inHours(world, 1)],
    ],
  );
  return { params: { allocation_id: allocation, access_grant_id: id } };
};

/** A certificate of the caller. */
const ofCertificate: MakeExample = async (world, tenant, caller) => {
  const [id, allocation] = [systemIds.next(), await machine(world, tenant, caller)];
  await asSystem(
    world.root,
    `insert into ssh_certificates (id, organization_id, project_id, allocation_id, user_id, serial, fingerprint, key_fingerprint,
       authority_number, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, 1, now() + interval '5 minutes')`,
    [
      ...[id, tenant.organizationId, tenant.projectId, allocation, await personOf(world, caller)],
      ...[randomInt(1, 1_000_000_000), fingerprintOf(randomBytes(32)), fingerprintOf(freshKey().blob)],
    ],
  );
  return { params: { allocation_id: allocation, ssh_certificate_id: id } };
};

/** What `ssh-keygen -Y sign` writes. */
function proofOf({ privateKey, blob }: ReturnType<typeof freshKey>, userId: string): string {
  const message = sshConcat(
    ...[Buffer.from(sshsig.preamble), sshString(proofNamespace), sshString(''), sshString('sha512')],
    sshString(hash('sha512', proofText(userId), 'buffer')),
  );
  const signature = sshConcat(
    ...[Buffer.from(sshsig.preamble), sshUint32(sshsig.version), sshString(blob), sshString(proofNamespace)],
    ...[sshString(''), sshString('sha512')],
    sshString(sshConcat(sshString(ed25519), sshString(sign(null, message, privateKey)))),
  );
  const text = Buffer.from(signature).toString('base64');
  return `-----BEGIN SSH SIGNATURE-----\n${text}\n-----END SSH SIGNATURE-----\n`;
}
/** A key of the caller, and the proof that the caller holds it. */
const ofUnprovenKey: MakeExample = async (world, _, caller) => {
  const [id, userId, key] = [systemIds.next(), await personOf(world, caller), freshKey()];
  await asSystem(
    world.root,
    `insert into ssh_keys (id, user_id, name, type, bits, public_key, fingerprint, comment, created_by)
     values ($1, $2, 'A key', $3, 256, $4, $5, '', $2)`,
    [id, userId, ed25519, key.line, fingerprintOf(key.blob)],
  );
  return { params: { ssh_key_id: id }, body: { signature: proofOf(key, userId) } };
};

const kind = 'jump_host';
const ofPlatformKey = { params: { kind }, body: { reason: 'an example' } };

export const accessExamples: Readonly<Record<string, MakeExample>> = {
  access_grant_create: async (world, tenant, caller) => ({
    params: { allocation_id: await machine(world, tenant, caller) },
    body: { user_id: await colleague(world, tenant), expires_at: inHours(world, 1), reason: 'an example' },
  }),
  access_grant_list: async (...of) => {
    const { allocation_id = '' } = (await ofGrant(...of)).params ?? {};
    return { params: { allocation_id } };
  },
  access_grant_update: async (world, ...of) => ({
    ...(await ofGrant(world, ...of)),
    body: { expires_at: inHours(world, 2) },
  }),
  access_grant_revoke: ofGrant,
  ssh_certificate_sign: async (world, tenant, caller) => ({
    params: { allocation_id: await machine(world, tenant, caller) },
    body: { public_key: freshKey().line },
  }),
  ssh_certificate_list: async (...of) => {
    const { allocation_id = '' } = (await ofCertificate(...of)).params ?? {};
    return { params: { allocation_id } };
  },
  ssh_certificate_revoke: ofCertificate,
  ssh_key_prove: ofUnprovenKey,
  ssh_platform_key_list: async () => ({}),
  ssh_platform_key_announce: async (world) => {
    // One announcement at a time: whatever an earlier example announced is over.
    await asSystem(world.root, 'delete from ssh_platform_keys where kind = $1 and used_from is null', [kind]);
    return ofPlatformKey;
  },
  ssh_platform_key_switch: async (world) => {
    // Where one is announced already, this is refused, and nothing is missing.
    await world.call('POST', `/api/v1/admin/ssh-platform-keys/${kind}/announce`, {
      ...{ as: await world.operator(), key: systemIds.next(), body: { reason: 'an example' } },
    });
    return ofPlatformKey;
  },
};
