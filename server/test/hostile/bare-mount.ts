import { policies, type Route, routes } from '@gpuaas/contract';
import { makeGate } from '../../src/edge/gate/gate.ts';
import type { Identity } from '../../src/edge/http/admission/authentication.ts';
import { type Mount, type MountParts, openMount } from '../../src/edge/http/mount.ts';
import type { Mounted } from '../../src/kernel/act.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { silentLog } from '../../src/kernel/telemetry/log.ts';
import { type Metrics, makeMetrics } from '../../src/kernel/telemetry/metrics.ts';

export interface BareMount extends Mount {
  readonly metrics: Metrics;
}
type Handle = Mounted['handle'];

const organizationId = '01890000-0000-7000-8000-000000000001';
const projectId = '01890000-0000-7000-8000-000000000002';
export const somebody: Identity = {
  issuer: 'i',
  subject: 's',
  kind: 'user',
  credential: { kind: 'oidc', tokenId: 't', sessionId: undefined, scopes: undefined },
  issuedAt: undefined,
  expiresAt: new Date(4e12),
  signedInAt: undefined,
  methods: [],
  keyId: undefined,
};
const version: Handle = async () => ({ product: 'gpuaas', version: '0.0.0', commit: null, contract: 'sha256:0' });

/** The mount with nothing behind it: anybody with a token owns everything, and handlers are whatever a test says. */
export async function openBareMount(
  given: Partial<MountParts> & { readonly handle?: Readonly<Record<string, Handle>> } = {},
): Promise<BareMount> {
  const { handle = {}, ...parts } = given;
  const metrics = makeMetrics('test', '0.0.0');
  const mount = await openMount({
    handlers: (parts.routes ?? routes).map((route) => ({ route, handle: handle[route.id] ?? fallback(route) })),
    authenticate: async (authorization) => (authorization ? somebody : new Fault('token_missing', 'Send a token.')),
    recognise: async () => ({ id: 'somebody', kind: 'user', platformRoles: ['platform_superadmin'] }),
    denyList: { denies: () => false },
    seen: () => undefined,
    policy: ((key: string) => policies.find((policy) => policy.key === key)?.default) as MountParts['policy'],
    tenants: {
      role: async () => 'owner',
      owners: Object.fromEntries(
        ['project_id', ...routes.flatMap(({ tenancy }) => ('param' in tenancy ? [tenancy.param] : []))].map((param) => [
          param,
          { absent: 'resource_not_found', find: async () => ({ organizationId, projectId }) },
        ]),
      ),
    },
    rateLimit: async () => ({ allowed: true, limit: 100, remaining: 99, resetSeconds: 60, firstRefusal: false }),
    gate: makeGate({ clock: systemClock, perMinute: () => 1_000_000 }),
    seats: { take: () => () => undefined },
    proxies: { isTrusted: () => false, note: () => undefined },
    replies: { find: async () => undefined, sweep: async () => 0 },
    database: {
      read: () => Promise.reject(new Error('nothing is behind this mount')),
      write: () => Promise.reject(new Error('nothing is behind this mount')),
    },
    keyRetentionHours: () => 24,
    clock: systemClock,
    ids: systemIds,
    log: silentLog,
    metrics,
    ...parts,
  });
  return { ...mount, metrics };
}

const fallback = (route: Route): Handle =>
  route.id === 'version_get' ? version : () => Promise.reject(new Error(`${route.id} has no handler in this test`));
