import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePushLogin, mayPush } from '../../domains/apps/pushing/credential.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { openTestObjects } from '../../testing/objects.ts';
import { type RegistryServer, serveRegistry } from './serve.ts';

const run = promisify(execFile);
const key = 'a key of the test';
let folder: string;
let server: RegistryServer;
let image: { readonly digest: string; readonly layer: string };
const objects = await openTestObjects();

/** A small image as files, without a program that builds one. */
async function writeImage(): Promise<typeof image> {
  const blobs = join(folder, 'image/blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const put = async (bytes: Buffer) => {
    const hex = createHash('sha256').update(bytes).digest('hex');
    await writeFile(join(blobs, hex), bytes);
    return { digest: `sha256:${hex}`, size: bytes.length };
  };
  // A megabyte that is no archive: clients that copy do not look inside.
  const layer = {
    mediaType: 'application/vnd.oci.image.layer.v1.tar',
    ...(await put(Buffer.alloc(1_048_576, 'gpuaas'))),
  };
  const diffIds = { os: 'linux', architecture: 'amd64', rootfs: { type: 'layers', diff_ids: [layer.digest] } };
  const config = {
    mediaType: 'application/vnd.oci.image.config.v1+json',
    ...(await put(Buffer.from(JSON.stringify(diffIds)))),
  };
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = await put(Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, config, layers: [layer] })));
  const named = { mediaType, ...manifest, annotations: { 'org.opencontainers.image.ref.name': 'one' } };
  await writeFile(join(folder, 'image/index.json'), JSON.stringify({ schemaVersion: 2, manifests: [named] }));
  await writeFile(join(folder, 'image/oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  return { digest: manifest.digest, layer: layer.digest };
}
const skopeo = (...words: string[]) => run('skopeo', words, { env: { ...process.env, HOME: folder } });
const push = (repository: string, login: { readonly user: string; readonly password: string }) =>
  skopeo(
    ...['copy', '--preserve-digests', '--dest-tls-verify=false', '--dest-creds', `${login.user}:${login.password}`],
    ...[`oci:${join(folder, 'image')}:one`, `docker://${server.name}/${repository}:one`],
  );
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-push-'));
  image = await writeImage();
  server = await serveRegistry({
    ...{ objects, host: '127.0.0.1', port: 0, clock: systemClock, ids: systemIds },
    mayPush: (login, repository) => mayPush(key, login, repository, new Date()),
    onFault: (error) => {
      throw error;
    },
  });
});
afterAll(async () => {
  await server?.close();
  await objects.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the registry of npm start', () => {
  it('takes an image from skopeo with a login to push, and gives it back to the byte without one', async () => {
    await push('acme/echo', makePushLogin(key, 'acme/echo', inMinutes(10)));
    const { stdout } = await skopeo(
      ...['inspect', '--tls-verify=false', '--format', '{{.Digest}}', `docker://${server.name}/acme/echo:one`],
    );
    expect(stdout.trim()).toBe(image.digest);
    const pulled = join(folder, 'pulled');
    await skopeo(
      ...['copy', '--preserve-digests', '--src-tls-verify=false'],
      ...[`docker://${server.name}/acme/echo@${image.digest}`, `oci:${pulled}:one`],
    );
    const bytes = await readFile(join(pulled, 'blobs/sha256', image.layer.slice('sha256:'.length)));
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(image.layer);
  });

  it.each([
    ['for another repository', 'acme/other', () => makePushLogin(key, 'acme/echo', inMinutes(10))],
    ['that has expired', 'acme/echo', () => makePushLogin(key, 'acme/echo', inMinutes(-1))],
    ['of another installation', 'acme/echo', () => makePushLogin('another', 'acme/echo', inMinutes(10))],
  ])('takes nothing with a login %s', async (_, repository, login) => {
    const before = (await objects.list('registry/', { limit: 1_000 })).length;
    await expect(push(repository, login())).rejects.toThrow(/unauthorized/);
    expect((await objects.list('registry/', { limit: 1_000 })).length).toBe(before);
  });

  it('does not give a blob of one repository to a reader of another one', async () => {
    const at = (repository: string) =>
      fetch(`http://${server.name}/v2/${repository}/blobs/${image.layer}`, { method: 'HEAD' });
    expect((await at('acme/echo')).status).toBe(200);
    expect((await at('acme/other')).status).toBe(404);
  });

  it.each([
    '/v2/../../etc/passwd',
    '/v2/acme/echo/blobs/..%2f..%2fsecrets.key',
    '/v2/acme%2fecho/manifests/one',
    '/v2/_/tags/list',
  ])('has nothing at %s', async (path) => {
    expect((await fetch(`http://${server.name}${path}`)).status).toBe(404);
  });
});
