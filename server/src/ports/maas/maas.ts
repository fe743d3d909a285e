import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Adapted } from '../adapter.ts';
import { type Exchanged, exchange } from './exchange.ts';
import { authorization } from './oauth.ts';
import {
  type DeployOrder,
  type Maas,
  type MaasAccess,
  MaasAway,
  type MaasMachine,
  MaasRefused,
  type MaasSite,
  type ReleaseOrder,
} from './port.ts';
import { readMachine, readMachines } from './read.ts';

export interface ClientSettings {
  /** Addresses without TLS that may be used. The key travels with each request, in words. */
  readonly plain: 'none' | 'loopback';
  /** How long one request may take. */
  readonly timeoutMs: number;
}
interface Parts {
  readonly clock: Clock;
  readonly ids: Ids;
}
type Form = readonly [name: string, value: string][];

/** Speaks API 2.0 of MAAS. Nothing is kept between two calls. */
export function openMaasClient(settings: ClientSettings, parts: Parts): Maas & Adapted {
  const closing = new AbortController();
  const demandOpen = () => {
    if (closing.signal.aborted) throw new Error('the port to MAAS is closed');
  };
  return {
    adapter:
      settings.plain === 'loopback' ? { name: 'simulated', kind: 'embedded' } : { name: 'maas', kind: 'production' },
    at: (access) => makeSite(access, settings, parts, { closing: closing.signal, demandOpen }),
    urlProblem: (url) => findUrlProblem(url, settings),
    async check() {
      demandOpen();
    },
    async close() {
      closing.abort();
    },
  };
}

const loopback = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;
function findUrlProblem(text: string, { plain }: ClientSettings): string | undefined {
  if (!URL.canParse(text)) return 'This is not an address.';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'The address must not carry a name or a password.';
  if (url.search !== '' || url.hash !== '') return 'The address ends with its path: nothing behind ? or #.';
  if (url.protocol === 'https:') return undefined;
  return url.protocol === 'http:' && plain === 'loopback' && loopback.test(url.hostname)
    ? undefined
    : 'Only https addresses are used: the key of MAAS travels with each request.';
}

function makeSite(
  access: MaasAccess,
  settings: ClientSettings,
  { clock, ids }: Parts,
  life: { readonly closing: AbortSignal; readonly demandOpen: () => void },
): MaasSite {
  async function call(method: 'GET' | 'POST', path: string, query: Form, form?: Form): Promise<unknown | MaasRefused> {
    life.demandOpen();
    const urlProblem = findUrlProblem(access.url, settings);
    if (urlProblem !== undefined) return new MaasRefused('invalid', urlProblem);
    const url = new URL(`${access.url.replace(/\/+$/, '')}/api/2.0/${path}`);
    for (const [name, value] of query) url.searchParams.append(name, value);
    const answered = await exchange({
      ...{ method, url, ca: access.caPem },
      headers: {
        accept: 'application/json',
        authorization: authorization(access.apiKey, { nonce: ids.secret(nonceBytes), now: clock.now() }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
      signal: AbortSignal.any([life.closing, AbortSignal.timeout(settings.timeoutMs)]),
    });
    return refusalIn(answered) ?? jsonIn(answered);
  }
  const machinePath = (systemId: string) => `machines/${encodeURIComponent(systemId)}/`;
  const order = async (systemId: string, op: string, form: Form): Promise<MaasMachine | MaasRefused> => {
    const answer = await call('POST', machinePath(systemId), [['op', op]], form);
    return answer instanceof MaasRefused ? answer : readMachine(answer);
  };
  return {
    async whoami() {
      const version = (await call('GET', 'version/', [])) as { version?: unknown } | MaasRefused;
      if (version instanceof MaasRefused) return version;
      const user = (await call('GET', 'users/', [['op', 'whoami']])) as { username?: unknown } | MaasRefused;
      if (user instanceof MaasRefused) return user;
      if (typeof version.version !== 'string' || typeof user.username !== 'string') throw notMaas();
      return { release: version.version, username: user.username };
    },
    async machines() {
      const answer = await call('GET', 'machines/', access.pool === undefined ? [] : [['pool', access.pool]]);
      return answer instanceof MaasRefused ? answer : readMachines(answer);
    },
    async machine(systemId) {
      const answer = await call('GET', machinePath(systemId), []);
      return answer instanceof MaasRefused ? answer : readMachine(answer);
    },
    async allocate(systemId, comment) {
      const form: Form = [
        ['system_id', systemId],
        ['agent_name', 'gpuaas'],
        ['comment', comment],
      ];
      const answer = await call('POST', 'machines/', [['op', 'allocate']], form);
      return answer instanceof MaasRefused ? answer : readMachine(answer);
    },
    note: (systemId, notes) => order(systemId, 'set_owner_data', Object.entries(notes)),
    commission: (systemId) => order(systemId, 'commission', []),
    deploy: (systemId, wanted) => order(systemId, 'deploy', deployForm(wanted)),
    release: (systemId, wanted) => order(systemId, 'release', releaseForm(wanted)),
    abort: (systemId, comment) => order(systemId, 'abort', [['comment', comment]]),
    power: (systemId, to, comment) => order(systemId, `power_${to}`, [['comment', comment]]),
  };
}

const nonceBytes = 16;
const deployForm = ({ osystem, series, userData, comment }: DeployOrder): Form => [
  ['osystem', osystem],
  ['distro_series', series],
  ['user_data', Buffer.from(userData).toString('base64')],
  ['comment', comment],
];
const releaseForm = ({ erase, comment }: ReleaseOrder): Form => [
  ['comment', comment],
  ['erase', String(erase !== 'none')],
  ...(erase === 'secure' ? ([['secure_erase', 'true']] satisfies Form) : []),
  ...(erase === 'quick' ? ([['quick_erase', 'true']] satisfies Form) : []),
];

const notMaas = () => new MaasAway('something else than MAAS answers at this address');
const kinds: Readonly<Record<number, MaasRefused['kind']>> = {
  400: 'invalid',
  401: 'denied',
  403: 'denied',
  404: 'absent',
  409: 'conflict',
};
const messageLength = 300;
function refusalIn({ status, text }: Exchanged): MaasRefused | undefined {
  const kind = kinds[status];
  return kind && new MaasRefused(kind, text.replace(/\s+/g, ' ').trim().slice(0, messageLength) || `HTTP ${status}`);
}
function jsonIn({ status, text }: Exchanged): unknown {
  if (status !== okStatus) throw new MaasAway(`MAAS answered ${status}`);
  try {
    return JSON.parse(text);
  } catch {
    throw notMaas();
  }
}
const okStatus = 200;
