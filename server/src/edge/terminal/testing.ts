import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineInternalRoute } from '@gpuaas/contract/internal';
import {
  controlPlaneSpiffeId,
  nodeCommonName,
  nodeSpiffeId,
  processCommonName,
  processSpiffeId,
} from '@gpuaas/contract/node';
import {
  type TerminalEndReason,
  type TerminalInternalInput,
  type TerminalInternalOutput,
  type TerminalInternalRoute,
  terminalInternalRoutes,
} from '@gpuaas/contract/terminal';
import ssh2 from 'ssh2';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { type Metrics, makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { type Issuer, type LeafUse, makeIssuer, makeLeaf } from '../../ports/certificates/issuing.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import { generalName, makeRequest, readRequest } from '../../ports/certificates/request.ts';
import { makeInternalClient } from '../internal/client.ts';
import { internalHandler } from '../internal/handlers.ts';
import { makeIdentityHandlers } from '../internal/identity.ts';
import { type InternalListener, openInternalListener } from '../internal/listener.ts';
import { openProcessIdentity, writeIdentity } from '../internal/process-identity.ts';
import { type Gateway, type GatewayLimits, openGateway, usualGatewayLimits } from './gateway.ts';
import type { JumpLimits } from './jump/connection.ts';

/** An authority in memory, for tests of TLS alone. */
export interface TestAuthority extends Pick<Certificates, 'authority' | 'certifyServer' | 'certifyProcess'> {
  readonly roots: string;
  issue(leaf: {
    readonly commonName: string;
    readonly uri: string;
    readonly names?: readonly string[];
    readonly use: LeafUse;
    readonly lifeMs?: number;
  }): Promise<TestIdentity>;
  node(nodeId: string): Promise<TestIdentity>;
  process(name: string): Promise<TestIdentity>;
}
export interface TestIdentity {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}
const hourMs = 3_600_000;
/** A key of SSH. The library makes some that it cannot read itself: those are left out. */
export function makeSshKey() {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519');
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
  }
}
/** What the jump host of tests shows. */
export const jumpHostKey = makeSshKey();

export async function makeTestAuthority(): Promise<TestAuthority> {
  const lives = (ms: number) => ({ notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + ms) });
  const root: Issuer = await makeIssuer('Test Root', lives(10 * hourMs));
  const roots = root.certificate.toString('pem');
  const certify = async (
    csr: string,
    commonName: string,
    names: readonly string[],
    uri: string,
    use: LeafUse,
    ms: number,
  ) => {
    const request = await readRequest(csr);
    if (request instanceof Fault) return request;
    const general = [...names.map(generalName), { type: 'url' as const, value: uri }];
    return makeLeaf(root, { ...lives(ms), publicKey: request.publicKey, commonName, names: general, use });
  };
  const authority: TestAuthority = {
    roots,
    authority: async () => ({ roots, fingerprint: 'sha256:none' }),
    async certifyServer({ names, ttlMs }) {
      const { pem, privateKey } = await makeRequest(undefined);
      const leaf = await certify(pem, names[0] ?? 'server', names, controlPlaneSpiffeId, 'server', ttlMs);
      if (leaf instanceof Fault) throw leaf;
      return { chain: leaf.toString('pem'), privateKey, notAfter: leaf.notAfter };
    },
    async certifyProcess({ process, names, csr, ttlMs }) {
      const leaf = await certify(csr, processCommonName(process), names, processSpiffeId(process), 'both', ttlMs);
      if (leaf instanceof Fault) return leaf as Fault<'node_csr_invalid'>;
      const serial = leaf.serialNumber.toLowerCase();
      return { chain: leaf.toString('pem'), serial, notBefore: leaf.notBefore, notAfter: leaf.notAfter };
    },
    async issue({ commonName, uri, names = [], use, lifeMs = hourMs }) {
      const { pem, privateKey } = await makeRequest(undefined);
      const leaf = await certify(pem, commonName, names, uri, use, lifeMs);
      if (leaf instanceof Fault) throw leaf;
      return { cert: leaf.toString('pem'), key: privateKey, ca: roots };
    },
    node: (id) => authority.issue({ commonName: nodeCommonName(id), uri: nodeSpiffeId(id), use: 'client' }),
    process: (name) =>
      authority.issue({
        ...{ commonName: processCommonName(name), uri: processSpiffeId(name), names: ['127.0.0.1'], use: 'both' },
      }),
  };
  return authority;
}

export interface TestSession {
  readonly id: string;
  readonly allocationId: string;
  readonly nodeId: string;
  readonly userId: string;
  readonly kind: 'shell' | 'ssh';
  home: { copy_id: string; peer_url: string } | null;
  end: TerminalEndReason | undefined;
  ended: TerminalInternalInput<'ended'> | undefined;
  /** Chunks of a recorded session; undefined when nothing is recorded. */
  readonly chunks: TerminalInternalInput<'record'>[] | undefined;
  readonly recordsInput: boolean;
}
interface Grant {
  readonly session: TestSession;
  readonly role: 'writer' | 'watcher';
  readonly takesOver: boolean;
  readonly isAdmin: boolean;
}
/** Answers the internal routes by the contract, from memory: what the gateway needs of an api and nothing more. */
export interface TestApi {
  readonly url: string;
  readonly asked: Map<TerminalInternalRoute, number>;
  /** What copies last said about their sessions. */
  readonly reported: Map<string, TerminalInternalInput<'watch'>['sessions']>;
  openSession(nodeId: string, recorded?: { readonly input: boolean }, kind?: 'shell' | 'ssh'): TestSession;
  /** Stands before the store of recordings: throws or refuses. */
  patienceSeconds: number;
  store: ((chunk: TerminalInternalInput<'record'>) => Promise<Fault | undefined>) | undefined;
  mint(session: TestSession, grant?: Partial<Omit<Grant, 'session'>>): string;
  endSession(session: TestSession, reason: TerminalEndReason): void;
  /** Copies that are gone, as the api would notice after a minute. */
  readonly gone: Set<string>;
  /** Whose keys the jump host knows, and which session a key gets for a name. */
  readonly jump: {
    hostKey: string;
    readonly keys: Set<string>;
    open(input: TerminalInternalInput<'jump_open'>): TestSession | Fault;
  };
  close(): Promise<void>;
}

export async function openTestApi(authority: TestAuthority): Promise<TestApi> {
  const sessions = new Map<string, TestSession>();
  const tokens = new Map<string, Grant>();
  const asked = new Map<TerminalInternalRoute, number>();
  const reported: TestApi['reported'] = new Map();
  const gone = new Set<string>();
  const waiters = new Set<() => void>();
  const wake = () => {
    for (const waiter of [...waiters]) waiter();
  };
  const change = (seconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const done = () => {
        waiters.delete(done);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, seconds * 1_000);
      waiters.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  const factsOf = (session: TestSession) => ({
    ...{ id: session.id, allocation_id: session.allocationId, node_id: session.nodeId, user_id: session.userId },
    ...{
      name: 'main',
      expires_at: new Date(Date.now() + hourMs).toISOString(),
      kind: session.kind,
      recording: session.chunks ? ('output' as const) : ('off' as const),
      simulated: true,
    },
  });
  const answers: {
    [R in TerminalInternalRoute]: (
      input: TerminalInternalInput<R>,
      signal: AbortSignal,
    ) => Promise<TerminalInternalOutput<R> | Fault>;
  } = {
    async attach({ token, allocation_id }) {
      const grant = tokens.get(token);
      tokens.delete(token);
      if (!grant || grant.session.allocationId !== allocation_id)
        return new Fault('terminal_token_invalid', 'No such token.');
      const { session, role, takesOver, isAdmin } = grant;
      return {
        ...{ attachment_id: systemIds.next(), session: factsOf(session), role, takes_over: takesOver },
        ...(isAdmin && { watched_by: 'admin' as const }),
        ...{ minted_at: new Date().toISOString(), home: session.home },
      };
    },
    async arrive({ session_id, node_id, copy_id, peer_url }) {
      const session = sessions.get(session_id);
      if (session?.nodeId !== node_id || session.end)
        return new Fault('allocation_not_found', 'There is no such session.');
      session.home = { copy_id, peer_url };
      wake();
      const { chunks } = session;
      return {
        session: factsOf(session),
        recorded: chunks?.at(-1)?.to ?? 0,
        recording: chunks
          ? {
              ...{ chunks: chunks.length, last_ms: chunks.at(-1)?.events.at(-1)?.[0] ?? 0 },
              ...{ began_at: chunks.length > 0 ? new Date().toISOString() : null, records_input: session.recordsInput },
              patience_seconds: api.patienceSeconds,
            }
          : null,
      };
    },
    async record(chunk) {
      const session = sessions.get(chunk.session_id);
      const refused = await api.store?.(chunk);
      if (refused) return refused;
      const last = session?.chunks?.at(-1);
      // The answer was lost, or came too late.
      if (last && JSON.stringify(last) === JSON.stringify(chunk)) return { recorded: chunk.to };
      const isNext = chunk.sequence === (last?.sequence ?? 0) + 1 && chunk.from === (last?.to ?? 0);
      if (!session?.chunks || !isNext || session.home?.copy_id !== chunk.copy_id) {
        return new Fault('terminal_recording_conflict', 'It does not follow.');
      }
      session.chunks.push(chunk);
      return { recorded: chunk.to };
    },
    async home({ session_id, wait_seconds, except_copy_id }, signal) {
      const until = Date.now() + wait_seconds * 1_000;
      for (;;) {
        const session = sessions.get(session_id);
        if (!session || session.end) return new Fault('allocation_not_found', 'There is no such session.');
        const { home } = session;
        if (home && home.copy_id !== except_copy_id && !gone.has(home.copy_id)) return { home };
        const left = until - Date.now();
        if (left <= 0 || signal.aborted) return { home: null };
        await change(left / 1_000, signal);
      }
    },
    async watch({ copy_id, sessions: named, wait_seconds }, signal) {
      reported.set(copy_id, named);
      const over = () =>
        named.flatMap(({ id }) => {
          const reason = sessions.get(id)?.end;
          return reason ? [{ session_id: id, reason }] : [];
        });
      if (over().length === 0 && wait_seconds > 0) await change(wait_seconds, signal);
      return { end: over(), gone_copies: [...gone] };
    },
    async ended(input) {
      const session = sessions.get(input.session_id);
      if (session) session.ended = input;
      return {};
    },
    jump_keys: async () => ({ private_key: api.jump.hostKey }),
    jump_admit: async ({ fingerprint }) => ({ known: api.jump.keys.has(fingerprint) }),
    async jump_open(input) {
      const session = api.jump.open(input);
      if (session instanceof Fault) return session;
      return {
        ...{ attachment_id: systemIds.next(), session: { ...factsOf(session), kind: 'ssh' as const } },
        ...{ role: 'writer' as const, takes_over: false, minted_at: new Date().toISOString(), home: session.home },
      };
    },
  };
  const listener: InternalListener = await openInternalListener({
    ...{ host: '127.0.0.1', port: 0, names: ['127.0.0.1'], certificates: authority as unknown as Certificates },
    ...{ clock: systemClock, ids: systemIds, log: silentLog, metrics: makeMetrics('test-api', '0') },
    handlers: [
      ...makeIdentityHandlers({ certificates: authority }),
      ...(Object.keys(terminalInternalRoutes) as TerminalInternalRoute[]).map((name) =>
        internalHandler(
          defineInternalRoute({ ...terminalInternalRoutes[name], callers: ['terminal-gateway'] }),
          async (input, { signal }) => {
            asked.set(name, (asked.get(name) ?? 0) + 1);
            return answers[name](input as never, signal);
          },
        ),
      ),
    ],
  });
  const api: TestApi = {
    url: `https://127.0.0.1:${listener.port}`,
    ...{ asked, reported, gone, store: undefined, patienceSeconds: 2 },
    jump: {
      hostKey: jumpHostKey.private,
      keys: new Set(),
      open: () => new Fault('allocation_not_found', 'There is no such allocation.'),
    },
    openSession(nodeId, recorded, kind = 'shell') {
      const session: TestSession = {
        ...{ id: systemIds.next(), allocationId: systemIds.next(), nodeId, userId: systemIds.next(), kind },
        ...{ home: null, end: undefined, ended: undefined },
        ...{ chunks: recorded ? [] : undefined, recordsInput: recorded?.input ?? false },
      };
      sessions.set(session.id, session);
      return session;
    },
    mint(session, grant = {}) {
      const token = randomBytes(32).toString('hex');
      tokens.set(token, { session, role: 'writer', takesOver: false, isAdmin: false, ...grant });
      return token;
    },
    endSession(session, reason) {
      session.end = reason;
      wake();
    },
    close: () => listener.close(),
  };
  return api;
}

export interface TestGateway extends Gateway {
  readonly scrape: () => Promise<string>;
  readonly metrics: Metrics;
}

/** A copy of the gateway with an identity of its own, over real sockets. */
export async function openTestGateway(
  authority: TestAuthority,
  api: Pick<TestApi, 'url'>,
  options: {
    readonly limits?: Partial<GatewayLimits>;
    readonly origins?: readonly string[];
    readonly log?: typeof silentLog;
    readonly isTrustedProxy?: (address: string) => boolean;
    readonly jump?: Partial<JumpLimits>;
    readonly hasProxyHeaders?: boolean;
  } = {},
): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-gateway-'));
  const own = await authority.process('terminal-gateway');
  await writeIdentity(folder, { key: own.key, chain: own.cert, roots: authority.roots });
  const identity = await openProcessIdentity(folder);
  const metrics = makeMetrics('terminal-gateway', '0');
  const client = makeInternalClient({ url: api.url, identity });
  const gateway = await openGateway(
    {
      ...{ host: '127.0.0.1', port: 0, nodeHost: '127.0.0.1', nodePort: 0 },
      ...{
        origins: options.origins ?? ['http://console.test'],
        isTrustedProxy: options.isTrustedProxy ?? (() => false),
      },
      limits: { ...usualGatewayLimits, drainMs: 1_000, ...options.limits },
      ...(options.jump && {
        jump: {
          ...{ host: '127.0.0.1', port: 0, limits: options.jump },
          hasProxyHeaders: options.hasProxyHeaders ?? false,
        },
      }),
    },
    { identity, client, clock: systemClock, ids: systemIds, log: options.log ?? silentLog, metrics },
  );
  const { close } = gateway;
  return Object.assign(gateway, {
    metrics,
    scrape: () => metrics.scrape(),
    async close() {
      await close();
      client.close();
      await rm(folder, { recursive: true, force: true });
    },
  });
}
