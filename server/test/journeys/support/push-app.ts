import { createHash } from 'node:crypto';
import { testManifest } from '../../../src/domains/apps/testing.ts';
import { bundleType, makeBundle, makeSigner } from '../../../src/domains/apps/verification/testing.ts';

type Ask = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly body: unknown }>;
const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** A client that pushes with a login. */
function makePusher(registry: string, repository: string, login: string) {
  const send = async (method: string, path: string, body?: Buffer, type = 'application/octet-stream') => {
    const headers = { authorization: `Basic ${Buffer.from(login).toString('base64')}`, 'content-type': type };
    const answer = await fetch(new URL(path, `http://${registry}`), { method, headers, ...(body && { body }) });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer;
  };
  const blob = async (text: string) => {
    const bytes = Buffer.from(text);
    const at = (await send('POST', `/v2/${repository}/blobs/uploads/`)).headers.get('location');
    await send('PUT', `${at}?digest=${digestOf(bytes)}`, bytes);
    return { digest: digestOf(bytes), size: bytes.length };
  };
  const manifest = async (value: object) => {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: manifestType, ...value }));
    await send('PUT', `/v2/${repository}/manifests/${digestOf(bytes)}`, bytes, manifestType);
    return digestOf(bytes);
  };
  return { blob, manifest };
}

/**
 * Brings an app from an image to prod, as a member does who administers nothing: a login to push, an image with a signature and an SBOM in the
 * registry of `npm start`, a version, its verification by the worker, and three promotions. Answers the version as it is then.
 */
export async function bringToProd(ask: Ask, projectId: string, slug: string): Promise<unknown> {
  const made = async (method: string, path: string, body: object = {}) => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as Record<string, string>;
  };
  const signer = makeSigner();
  await made('POST', `/projects/${projectId}/app-signing-keys`, { name: slug, public_key: signer.pem });
  const app = await made('POST', `/projects/${projectId}/apps`, { slug, name: 'Echo' });
  const login = await made('POST', `/apps/${app['id']}/push-credentials`);
  const [registry = '', repository = ''] = [login['registry'], login['repository']];
  const push = makePusher(registry, repository, `${login['username']}:${login['password']}`);

  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', ...(await push.blob('{}')) };
  const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar', ...(await push.blob('a layer')) };
  const digest = await push.manifest({ config, layers: [layer] });
  const subject = { mediaType: manifestType, digest, size: 1 };
  for (const [type, predicate] of [
    ['https://sigstore.dev/cosign/sign/v1', {}],
    ['https://cyclonedx.org/bom', { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] }],
  ] as const) {
    const bundle = await push.blob(makeBundle(signer.secret, digest, type, predicate));
    await push.manifest({ artifactType: bundleType, config, layers: [{ mediaType: bundleType, ...bundle }], subject });
  }

  const manifest = testManifest({ slug, image: `${registry}/${repository}@${digest}` });
  const version = await made('POST', `/apps/${app['id']}/versions`, { manifest });
  const path = `/app-versions/${version['id']}`;
  const deadline = Date.now() + 60_000;
  let shown = version;
  while (shown['trust_state'] === 'unverified') {
    if (Date.now() > deadline) throw new Error(`it is not verified: ${JSON.stringify(shown['evidence'])}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
    shown = (await ask('GET', path)).body as Record<string, string>;
  }
  for (const _ of ['test', 'staging', 'prod']) shown = await made('POST', `${path}/promote`);
  return shown;
}
