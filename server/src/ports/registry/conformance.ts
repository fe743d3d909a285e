import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RegistryConfig } from './open.ts';
import { openRegistry } from './open.ts';
import { type Registry, RegistryAway } from './port.ts';

/** A registry that runs, and a way to put things into it. */
export interface RegistryWorld {
  readonly config: RegistryConfig;
  /** Its name, as images carry it. */
  readonly registry: string;
  /** Sends one request to it as a client that may push. */
  send(
    method: string,
    path: string,
    body?: Buffer,
    type?: string,
  ): Promise<{ status: number; location: string | null }>;
  kill(): Promise<void>;
  close(): Promise<void>;
}
const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const indexType = 'application/vnd.oci.image.index.v1+json';

/** What every way to registries promises. */
export function registryConformance(name: string, makeWorld: () => Promise<RegistryWorld>): void {
  describe(`registry: ${name}`, () => {
    let world: RegistryWorld;
    let registry: Registry;
    const repository = 'demo/echo';
    const at = () => registry.at({ registry: world.registry, repository });

    async function pushBlob(bytes: Buffer): Promise<{ digest: string; size: number }> {
      const begun = await world.send('POST', `/v2/${repository}/blobs/uploads/`);
      expect(begun.status).toBe(202);
      const to = new URL(begun.location ?? '', 'http://registry');
      to.searchParams.set('digest', digestOf(bytes));
      const done = await world.send('PUT', `${to.pathname}${to.search}`, bytes, 'application/octet-stream');
      expect(done.status).toBe(201);
      return { digest: digestOf(bytes), size: bytes.length };
    }
    async function pushManifest(value: object, reference?: string, type = manifestType): Promise<string> {
      const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, ...value }));
      const path = `/v2/${repository}/manifests/${reference ?? digestOf(bytes)}`;
      expect((await world.send('PUT', path, bytes, type)).status).toBe(201);
      return digestOf(bytes);
    }
    async function pushImage(text: string, reference?: string) {
      const config = { mediaType: 'application/vnd.oci.image.config.v1+json', ...(await pushBlob(Buffer.from('{}'))) };
      const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar', ...(await pushBlob(Buffer.from(text))) };
      return { digest: await pushManifest({ config, layers: [layer] }, reference), layer, config };
    }
    beforeAll(async () => {
      world = await makeWorld();
      registry = await openRegistry(world.config);
    });
    afterAll(async () => {
      await registry?.close();
      await world?.close();
    });

    it('gives a manifest by digest and by tag, with its type, and its blobs', async () => {
      const { digest, layer } = await pushImage('a layer', 'one');
      const byDigest = await at().manifest(digest);
      expect(byDigest).toMatchObject({ digest, mediaType: manifestType });
      expect(await at().manifest('one')).toEqual(byDigest);
      expect((await at().blob(layer.digest, 100))?.toString()).toBe('a layer');
    });

    it('answers that what is not there is not there', async () => {
      const nothing = `sha256:${'0'.repeat(64)}`;
      expect(await at().manifest(nothing)).toBeUndefined();
      expect(await at().manifest('nothing')).toBeUndefined();
      expect(await at().blob(nothing, 100)).toBeUndefined();
      expect(await at().referrers(nothing)).toEqual([]);
      const elsewhere = registry.at({ registry: world.registry, repository: 'demo/nothing' });
      expect(await elsewhere.manifest('one')).toBeUndefined();
    });

    it('refuses a blob that is larger than it may be', async () => {
      const { digest } = await pushBlob(Buffer.alloc(5_000, 'x'));
      expect((await at().blob(digest, 5_000))?.length).toBe(5_000);
      await expect(at().blob(digest, 4_999)).rejects.toThrow(RegistryAway);
    });

    it('lists what names an image as its subject, where the registry keeps such a list or its clients do', async () => {
      const { digest, config, layer } = await pushImage('with a referrer');
      const artifactType = 'application/vnd.example.list';
      const subject = { mediaType: manifestType, digest, size: 1 };
      const referrer = await pushManifest({ artifactType, config, layers: [layer], subject });
      if ((await at().referrers(digest)).length === 0) {
        // As clients do where the registry has no such list.
        const listed = { mediaType: manifestType, digest: referrer, size: 1, artifactType };
        await pushManifest({ manifests: [listed] }, digest.replace(':', '-'), indexType);
      }
      expect(await at().referrers(digest)).toEqual([{ digest: referrer, artifactType }]);
    });

    it('throws in time when the registry does not answer, and names it', async () => {
      await world.kill();
      await expect(at().manifest('one')).rejects.toThrow(RegistryAway);
      await expect(at().manifest('one')).rejects.toThrow(world.registry);
    });
  });
}

/** A registry on this machine that answers what a test wants it to. */
export function registryLies(name: string): void {
  describe(`registry: ${name}`, () => {
    const text = Buffer.from('{"schemaVersion":2}');
    const digest = digestOf(text);
    async function against(
      answer: (asked: Asked) => Said | undefined,
      look: (repository: ReturnType<Registry['at']>, asked: string[]) => Promise<void>,
    ): Promise<void> {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url ?? '');
        const { authorization, host = '' } = request.headers;
        const reply = answer({ path: request.url ?? '', authorization, host });
        if (reply) response.writeHead(reply.status, reply.headers).end(reply.body);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const registry = await openRegistry({ kind: 'local', timeoutMs: 1_500 });
      try {
        await look(registry.at({ registry: `127.0.0.1:${port}`, repository: 'demo/echo' }), asked);
      } finally {
        await registry.close();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    }
    const awayFor = (answer: Parameters<typeof against>[0]) =>
      against(answer, async (repository) => {
        await expect(repository.manifest(digest)).rejects.toThrow(RegistryAway);
      });

    it.each([500, 403, 429])('takes the status %i for no answer', (status) => awayFor(() => ({ status })));
    it('takes silence for no answer, in time', () => awayFor(() => undefined));
    it('takes other bytes than the digest names for no answer', () =>
      awayFor(() => ({ status: 200, body: Buffer.from('{"schemaVersion":3}') })));
    it('takes an answer without end for no answer', () =>
      awayFor(() => ({ status: 200, body: Buffer.alloc(5 * 1_024 * 1_024) })));
    it('does not follow redirects for ever', () =>
      against(
        () => ({ status: 302, headers: { location: '/round' } }),
        async (repository, asked) => {
          await expect(repository.manifest(digest)).rejects.toThrow(RegistryAway);
          expect(asked.length).toBeLessThan(6);
        },
      ));
    it('does not follow to another machine without TLS', () =>
      awayFor(() => ({ status: 302, headers: { location: 'http://192.0.2.1/blob' } })));
    it('gets the token that a registry asks for, and shows it to that registry alone', () =>
      against(
        ({ path, authorization, host }) => {
          if (path.startsWith('/token?')) return { status: 200, body: Buffer.from('{"token":"abc"}') };
          if (path === '/elsewhere') return authorization ? { status: 500 } : { status: 200, body: text };
          return authorization === 'Bearer abc'
            ? { status: 307, headers: { location: '/elsewhere' } }
            : { status: 401, headers: { 'www-authenticate': `Bearer realm="http://${host}/token",service="x"` } };
        },
        async (repository, asked) => {
          expect((await repository.manifest(digest))?.digest).toBe(digest);
          expect(asked[1]).toBe('/token?scope=repository%3Ademo%2Fecho%3Apull&service=x');
        },
      ));
  });
}
interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly host: string;
}
interface Said {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}
