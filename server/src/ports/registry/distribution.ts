import { createHash } from 'node:crypto';
import type { Adapted } from '../adapter.ts';
import { type Logins, readChallenge } from './challenge.ts';
import { type Exchanged, exchange } from './exchange.ts';
import {
  digestPattern,
  type Manifest,
  type Referrer,
  type Registry,
  RegistryAway,
  type Repository,
  type RepositoryPlace,
} from './port.ts';

export interface DistributionSettings {
  /** Registries that may be asked without TLS. */
  readonly plain: 'none' | 'loopback';
  /** How long one question may take, with everything that it needs. */
  readonly timeoutMs: number;
  readonly logins: Logins;
  /** An authority to trust besides those that Node knows. */
  readonly ca?: string | undefined;
}
const mostManifestBytes = 4 * 1_024 * 1_024;
const mostTokenBytes = 64 * 1_024;
const mostRedirects = 3;
const mostReferrers = 200;
const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const indexType = 'application/vnd.oci.image.index.v1+json';
const status = { ok: 200, unauthorized: 401, notFound: 404 } as const;
const redirects: readonly number[] = [301, 302, 303, 307, 308];
const loopback = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** Speaks the distribution interface of OCI, to read. Nothing is kept between two questions, tokens included. */
export function openDistribution(settings: DistributionSettings): Registry & Adapted {
  const closing = new AbortController();
  const demandOpen = () => {
    if (closing.signal.aborted) throw new Error('the port to registries is closed');
  };
  return {
    adapter:
      settings.plain === 'loopback'
        ? { name: 'local', kind: 'embedded' }
        : { name: 'distribution', kind: 'production' },
    at(place) {
      demandOpen();
      return makeRepository(place, settings, closing.signal);
    },
    async check() {
      demandOpen();
    },
    async close() {
      closing.abort();
    },
  };
}

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

type Away = (why: string) => RegistryAway;
const awayOf =
  ({ registry }: RepositoryPlace): Away =>
  (why) =>
    new RegistryAway(`${registry} ${why}`);
function jsonIn(bytes: Buffer, away: Away): unknown {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // It is said below.
  }
  throw away('answered something else than JSON');
}

/** Asks one repository, as whom it wants us to be. Answers undefined for what it does not have. */
function makeAsking(place: RepositoryPlace, settings: DistributionSettings, closing: AbortSignal) {
  const isLocal = loopback.test(place.registry.replace(/:\d+$/, ''));
  const base = `${settings.plain === 'loopback' && isLocal ? 'http' : 'https'}://${place.registry}`;
  const login = settings.logins.get(place.registry);
  const mayAsk = (url: URL) =>
    url.protocol === 'https:' || (settings.plain === 'loopback' && loopback.test(url.hostname));
  const away = awayOf(place);

  async function ask(path: string, accept: readonly string[], mostBytes: number): Promise<Exchanged | undefined> {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(settings.timeoutMs)]);
    const get = (url: URL, authorization: string | undefined, most = mostBytes) => {
      if (!mayAsk(url)) throw away('sends us to an address without TLS');
      const headers = { accept: accept.join(', '), ...(authorization && { authorization }) };
      return exchange({ url, headers, mostBytes: most, ca: settings.ca, signal });
    };
    const url = new URL(`${base}/v2/${place.repository}/${path}`);
    let answer = await get(url, undefined);
    if (answer.status === status.unauthorized) {
      const challenge = readChallenge(answer.headers['www-authenticate']);
      if (challenge?.kind === 'basic' && login !== undefined) answer = await get(url, login);
      else if (challenge?.kind === 'bearer') {
        answer = await get(url, `Bearer ${await tokenFrom(challenge, (realm) => get(realm, login, mostTokenBytes))}`);
      }
    }
    let at = url;
    for (let hops = 0; redirects.includes(answer.status); hops += 1) {
      const to = answer.headers['location'];
      if (hops >= mostRedirects || to === undefined || !URL.canParse(to, at.href))
        throw away('sends us on without end');
      // Blobs often lie in a store of their own. What proves us to the registry does not travel there.
      at = new URL(to, at);
      answer = await get(at, undefined);
    }
    if (answer.status === status.notFound) return undefined;
    if (answer.status !== status.ok) throw away(`answered ${answer.status}`);
    return answer;
  }

  async function tokenFrom(
    challenge: { readonly realm: string; readonly service: string | undefined; readonly scope: string | undefined },
    get: (realm: URL) => Promise<Exchanged>,
  ): Promise<string> {
    if (!URL.canParse(challenge.realm)) throw away('names no place that gives tokens');
    const realm = new URL(challenge.realm);
    realm.searchParams.set('scope', challenge.scope ?? `repository:${place.repository}:pull`);
    if (challenge.service !== undefined) realm.searchParams.set('service', challenge.service);
    const answer = await get(realm);
    if (answer.status !== status.ok) throw away(`gave us no token (${answer.status})`);
    const { token, access_token: other } = jsonIn(answer.body, away) as { token?: unknown; access_token?: unknown };
    const given = token ?? other;
    if (typeof given !== 'string' || !/^[\x21-\x7e]+$/.test(given)) throw away('gave us no token');
    return given;
  }
  return ask;
}

function makeRepository(place: RepositoryPlace, settings: DistributionSettings, closing: AbortSignal): Repository {
  const away = awayOf(place);
  const ask = makeAsking(place, settings, closing);
  async function manifest(reference: string): Promise<Manifest | undefined> {
    const answer = await ask(`manifests/${reference}`, manifestTypes, mostManifestBytes);
    if (answer === undefined) return undefined;
    const digest = digestOf(answer.body);
    if (digestPattern.test(reference) && digest !== reference) throw away(`gave other bytes than ${reference}`);
    return {
      digest,
      mediaType: (answer.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '',
      bytes: answer.body,
    };
  }

  function referrersIn(bytes: Buffer): Referrer[] {
    const { manifests } = jsonIn(bytes, away) as { manifests?: unknown };
    if (!Array.isArray(manifests)) throw away('answered something else than a list of referrers');
    return manifests.slice(0, mostReferrers).flatMap((each: { digest?: unknown; artifactType?: unknown } | null) => {
      const { digest, artifactType } = each ?? {};
      if (typeof digest !== 'string' || !digestPattern.test(digest)) return [];
      return [{ digest, artifactType: typeof artifactType === 'string' ? artifactType : '' }];
    });
  }

  return {
    manifest,
    async blob(digest, mostBytes) {
      const answer = await ask(`blobs/${digest}`, ['application/octet-stream'], mostBytes);
      if (answer === undefined) return undefined;
      if (digestOf(answer.body) !== digest) throw away(`gave other bytes than ${digest}`);
      return answer.body;
    },
    async referrers(digest) {
      const answer = await ask(`referrers/${digest}`, [indexType], mostManifestBytes);
      if (answer !== undefined) return referrersIn(answer.body);
      const fallback = await manifest(digest.replace(':', '-'));
      return fallback === undefined ? [] : referrersIn(fallback.bytes);
    },
  };
}
