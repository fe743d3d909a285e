import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { type Contents, makeContents } from './contents.ts';
import { openUploads, TooLarge, type Uploads } from './uploads.ts';

/**
 * A registry of container images over the object store, as OCI distribution describes one: podman, skopeo, oras and cosign push and pull. It
 * is for `npm start`, on a loopback port of its own. Everybody on this machine may pull; to push, a client needs a login that `mayPush`
 * knows for this repository. Nothing is deleted here.
 */
export interface RegistryServer {
  /** Its name, as images carry it: 127.0.0.1:5000. */
  readonly name: string;
  close(): Promise<void>;
}
export interface RegistryParts {
  readonly objects: Objects;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly host: string;
  readonly port: number;
  readonly mayPush: (login: { readonly user: string; readonly password: string }, repository: string) => boolean;
  readonly onFault: (error: unknown) => void;
}

const mostManifestBytes = 4 * 1_024 * 1_024;
const mostBlobBytes = 16 * 1_024 * 1_024 * 1_024;
const idleMs = 60_000;
const repositoryPart = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const path = new RegExp(
  `^/v2/(${repositoryPart}(?:/${repositoryPart}){0,7})/(manifests|blobs|blobs/uploads|tags|referrers)/([A-Za-z0-9_][A-Za-z0-9._:-]{0,127})?$`,
);
const longestRepository = 200;
const digestPattern = /^sha256:[0-9a-f]{64}$/;
const indexType = 'application/vnd.oci.image.index.v1+json';

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly repository: string;
  readonly reference: string;
  readonly query: URLSearchParams;
}

export async function serveRegistry(parts: RegistryParts): Promise<RegistryServer> {
  const contents = makeContents(parts.objects);
  const uploads = await openUploads({ clock: parts.clock, ids: parts.ids, mostBytes: mostBlobBytes });
  const handlers = makeHandlers(contents, uploads);
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    response.setHeader('docker-distribution-api-version', 'registry/2.0');
    route(request, response, parts, handlers).catch((error: unknown) => {
      if (error instanceof TooLarge) return refuse(response, 413, 'SIZE_INVALID', 'The blob is too large.');
      if (!response.destroyed) parts.onFault(error);
      return response.headersSent ? response.destroy() : refuse(response, 500, 'UNKNOWN', 'The registry failed.');
    });
  });
  server.setTimeout(idleMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    name: `${parts.host}:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await uploads.close();
    },
  };
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ errors: [{ code, message }] }));
}
function challenge(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Basic realm="gpuaas"');
  refuse(response, 401, 'UNAUTHORIZED', 'Log in with a push credential: gpuaas app registry login.');
}
function loginOf({ headers }: IncomingMessage): { readonly user: string; readonly password: string } | undefined {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const at = text.indexOf(':');
  return at < 1 ? undefined : { user: text.slice(0, at), password: text.slice(at + 1) };
}

type Handlers = ReturnType<typeof makeHandlers>;
async function route(request: IncomingMessage, response: ServerResponse, parts: RegistryParts, handlers: Handlers) {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://registry');
  if (pathname === '/v2/' || pathname === '/v2') {
    if (!loginOf(request)) return challenge(response);
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end('{}');
  }
  const [, repository = '', kind = '', reference = ''] = path.exec(pathname) ?? [];
  if (repository === '' || repository.length > longestRepository) {
    return refuse(response, 404, 'NAME_UNKNOWN', 'There is no such object.');
  }
  const method = request.method ?? '';
  if (method !== 'GET' && method !== 'HEAD') {
    const login = loginOf(request);
    if (!login || !parts.mayPush(login, repository)) return challenge(response);
  }
  const handler = handlers[`${method === 'HEAD' ? 'GET' : method} ${kind}`];
  if (!handler) return refuse(response, 405, 'UNSUPPORTED', 'This registry does not do that.');
  return handler({ request, response, repository, reference, query });
}

function makeHandlers(contents: Contents, uploads: Uploads): Partial<Record<string, (call: Call) => Promise<unknown>>> {
  const absent = (response: ServerResponse, code: string) => refuse(response, 404, code, 'There is no such object.');
  const json = ({ request, response }: Call, type: string, value: unknown) => {
    response.writeHead(200, { 'content-type': type });
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(value));
  };
  const accepted = ({ response, repository }: Call, id: string, bytes: number) => {
    const location = `/v2/${repository}/blobs/uploads/${id}`;
    response.writeHead(202, { location, 'docker-upload-uuid': id, range: `0-${Math.max(0, bytes - 1)}` });
    response.end();
  };
  async function finish(call: Call, id: string): Promise<void> {
    const { response, repository, query } = call;
    const digest = query.get('digest') ?? '';
    if (!digestPattern.test(digest)) return refuse(response, 400, 'DIGEST_INVALID', 'Blobs are named by sha256.');
    const body = await uploads.finish(repository, id, digest);
    if (body === 'absent') return absent(response, 'BLOB_UPLOAD_UNKNOWN');
    if (body === 'another') return refuse(response, 400, 'DIGEST_INVALID', 'The bytes have another digest.');
    await contents.keepBlob(repository, digest, body);
    response.writeHead(201, { location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest });
    response.end();
  }
  return {
    async 'GET manifests'({ request, response, repository, reference }) {
      const found = await contents.manifest(repository, reference);
      if (!found) return absent(response, 'MANIFEST_UNKNOWN');
      response.writeHead(200, {
        ...{ 'content-type': found.mediaType, 'content-length': found.bytes.length },
        'docker-content-digest': found.digest,
      });
      response.end(request.method === 'HEAD' ? undefined : found.bytes);
    },
    async 'PUT manifests'({ request, response, repository, reference }) {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > mostManifestBytes) return refuse(response, 413, 'MANIFEST_INVALID', 'The manifest is too large.');
        chunks.push(chunk);
      }
      const mediaType = (request.headers['content-type'] ?? 'application/octet-stream').slice(0, longestRepository);
      const kept = await contents.keepManifest(repository, reference, { mediaType, bytes: Buffer.concat(chunks) });
      if ('refused' in kept) return refuse(response, 400, 'MANIFEST_INVALID', `It is not kept: ${kept.refused}.`);
      response.writeHead(201, {
        ...{ location: `/v2/${repository}/manifests/${kept.digest}`, 'docker-content-digest': kept.digest },
        ...(kept.subject !== undefined && { 'oci-subject': kept.subject }),
      });
      response.end();
    },
    async 'GET blobs'({ request, response, repository, reference }) {
      const size = digestPattern.test(reference) ? await contents.hasBlob(repository, reference) : undefined;
      if (size === undefined) return absent(response, 'BLOB_UNKNOWN');
      const headers = { 'content-type': 'application/octet-stream', 'content-length': size };
      response.writeHead(200, { ...headers, 'docker-content-digest': reference });
      if (request.method === 'HEAD') return response.end();
      const found = await contents.openBlob(repository, reference);
      return found ? pipeline(found.body, response) : response.destroy();
    },
    async 'POST blobs/uploads'(call) {
      const id = await uploads.begin(call.repository);
      if (id === undefined) return refuse(call.response, 429, 'TOOMANYREQUESTS', 'Too many uploads are open.');
      if (!call.query.has('digest')) return accepted(call, id, 0);
      await uploads.append(call.repository, id, call.request);
      return finish(call, id);
    },
    async 'PATCH blobs/uploads'(call) {
      const bytes = await uploads.append(call.repository, call.reference, call.request);
      return bytes === undefined ? absent(call.response, 'BLOB_UPLOAD_UNKNOWN') : accepted(call, call.reference, bytes);
    },
    async 'PUT blobs/uploads'(call) {
      const bytes = await uploads.append(call.repository, call.reference, call.request);
      return bytes === undefined ? absent(call.response, 'BLOB_UPLOAD_UNKNOWN') : finish(call, call.reference);
    },
    async 'GET tags'(call) {
      if (call.reference !== 'list') return absent(call.response, 'NAME_UNKNOWN');
      return json(call, 'application/json', { name: call.repository, tags: await contents.tags(call.repository) });
    },
    async 'GET referrers'(call) {
      if (!digestPattern.test(call.reference))
        return refuse(call.response, 400, 'DIGEST_INVALID', 'This is no digest.');
      const manifests = await contents.referrers(call.repository, call.reference);
      call.response.setHeader('content-type', indexType);
      return json(call, indexType, { schemaVersion: 2, mediaType: indexType, manifests });
    },
  };
}
