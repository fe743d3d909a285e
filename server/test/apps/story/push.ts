import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleType, makeBundle, type makeSigner } from '../../../src/domains/apps/verification/testing.ts';
import type { LinuxStage } from './linux-host.ts';

/** What a publisher does with an image: push it with skopeo, and leave a signature and a list of its contents beside it. */
type Place = Pick<LinuxStage, 'registry' | 'logins' | 'certificates'>;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';
const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Pushes an image from a folder of the OCI layout; answers its digest at the registry. */
export async function pushImage(place: Place, image: string, repository: string): Promise<string> {
  const trust = [`--dest-cert-dir=${place.certificates}`, `--dest-authfile=${place.logins}`];
  const to = `docker://${place.registry}/${repository}:1`;
  await promisify(execFile)('skopeo', ['copy', '--quiet', '--preserve-digests', ...trust, `oci:${image}:1`, to]);
  const words = [
    'inspect',
    `--cert-dir=${place.certificates}`,
    `--authfile=${place.logins}`,
    '--format={{.Digest}}',
    to,
  ];
  return (await promisify(execFile)('skopeo', words)).stdout.trim();
}

/** Signs an image and attests its contents, as cosign does where a registry keeps no list of referrers. */
export async function signImage(
  place: Place,
  secret: ReturnType<typeof makeSigner>['secret'],
  { repository, digest }: { readonly repository: string; readonly digest: string },
): Promise<void> {
  const send = await openSender(place);
  const path = `/v2/${repository}`;
  const putBlob = async (text: string) => {
    const bytes = Buffer.from(text);
    const to = new URL((await send('POST', `${path}/blobs/uploads/`)) ?? '', `https://${place.registry}`);
    to.searchParams.set('digest', digestOf(bytes));
    await send('PUT', `${to.pathname}${to.search}`, bytes);
    return { digest: digestOf(bytes), size: bytes.length };
  };
  const putManifest = async (value: object, mediaType: string, reference?: string) => {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...value }));
    await send('PUT', `${path}/manifests/${reference ?? digestOf(bytes)}`, bytes, mediaType);
    return { mediaType, digest: digestOf(bytes), size: bytes.length };
  };
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', ...(await putBlob('{}')) };
  const sbom = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] };
  const manifests: object[] = [];
  for (const [type, predicate] of [
    ['https://sigstore.dev/cosign/sign/v1', {}],
    ['https://cyclonedx.org/bom', sbom],
  ] as const) {
    const layer = { mediaType: bundleType, ...(await putBlob(makeBundle(secret, digest, type, predicate))) };
    const subject = { mediaType: manifestType, digest, size: 1 };
    const value = { artifactType: bundleType, config, layers: [layer], subject };
    manifests.push({ ...(await putManifest(value, manifestType)), artifactType: bundleType });
  }
  await putManifest({ manifests }, indexType, digest.replace(':', '-'));
}

/** Sends requests to the registry with its login; answers where the registry points to. */
async function openSender(place: Place) {
  const ca = await readFile(join(place.certificates, 'ca.crt'));
  const { auths } = JSON.parse(await readFile(place.logins, 'utf8')) as { auths: Record<string, { auth: string }> };
  const authorization = `Basic ${auths[place.registry]?.auth}`;
  return (method: string, path: string, body?: Buffer, type = 'application/octet-stream') =>
    new Promise<string | undefined>((resolve, reject) => {
      const headers = { authorization, 'content-type': type, 'content-length': body?.length ?? 0 };
      const call = request(`https://${place.registry}${path}`, { method, headers, ca, agent: false }, (reply) => {
        reply.resume();
        reply.on('end', () => {
          if ((reply.statusCode ?? 0) < 300) resolve(reply.headers.location);
          else reject(new Error(`${method} ${path}: ${reply.statusCode}`));
        });
      });
      call.on('error', reject);
      call.end(body);
    });
}
