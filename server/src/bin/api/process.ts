import { versionGet } from '@gpuaas/contract';
import { Type } from 'typebox';
import { makeAudit } from '../../domains/audit/index.ts';
import { makeIdentities } from '../../domains/identity/index.ts';
import { deadLetterRoutes } from '../../domains/outbox/index.ts';
import { makePolicies } from '../../domains/policy/index.ts';
import { makeTenancy } from '../../domains/tenancy/index.ts';
import { keysFrom, makeAuthenticate } from '../../edge/http/authentication.ts';
import { openDenyList } from '../../edge/http/deny-list.ts';
import { openMount } from '../../edge/http/mount.ts';
import { makeRateLimit } from '../../edge/http/rate-limit.ts';
import { actsOf, handlers } from '../../kernel/act.ts';
import { readiness } from '../../kernel/health.ts';
import { defineProcess } from '../../ports/open.ts';
import { product, release } from '../release.ts';

const denialsChannel = 'gpuaas_token_denied';

const version = handlers<object>()(versionGet, async () => ({ product, version: release }));

export const api = defineProcess({
  name: 'api',
  summary: 'Every public, admin and internal route.',
  needs: ['database', 'cache'],
  config: Type.Object({
    host: Type.String({ default: '127.0.0.1', description: 'The address to listen on.' }),
    port: Type.Integer({ default: 8443, minimum: 0, maximum: 65_535, description: 'The port to listen on.' }),
    region: Type.String({
      default: 'local',
      pattern: '^[a-z0-9-]{1,32}$',
      description: 'The region in resource names.',
    }),
    oidcIssuer: Type.String({ minLength: 1, description: 'Who signs the tokens we accept.' }),
    oidcAudience: Type.String({ default: 'gpuaas', description: 'What those tokens must be meant for.' }),
    oidcKeysUrl: Type.String({
      pattern: '^https?://|^file://',
      description: 'Where the public keys of the issuer are.',
    }),
    requestsPerMinute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Overrides the default lane.' }),
    ),
  }),
  async start({ database, cache, config, clock, ids, log, metrics, scope }) {
    const db = database.database;
    const policies = makePolicies(
      config.requestsPerMinute ? { 'rate_limit.api_requests_per_minute': config.requestsPerMinute } : {},
    );
    const identities = makeIdentities({ db, begin: actsOf('identity', ids), ids, clock });
    const tenancy = makeTenancy({ db, ids, clock, region: config.region });
    const audit = makeAudit({ db });
    const denyList = scope.keep(
      'deny-list',
      await openDenyList({
        denials: {
          current: identities.denials.current,
          onChange: (listener) => database.listen(denialsChannel, listener),
        },
        clock,
        onFault: (error) => log.warn({ err: error }, 'the list of revoked tokens could not be read'),
      }),
    );
    const mount = scope.keep(
      'http',
      await openMount({
        handlers: [version({}), ...tenancy.routes, ...audit.routes, ...deadLetterRoutes({ db })],
        authenticate: makeAuthenticate({
          issuer: config.oidcIssuer,
          audience: config.oidcAudience,
          keys: await keysFrom(new URL(config.oidcKeysUrl)),
          clock,
        }),
        recognise: identities.recognise,
        denyList,
        tenants: tenancy,
        rateLimit: makeRateLimit({ cache, clock, policy: policies.number }),
        replies: database.replies,
        database: db,
        keyRetentionHours: () => policies.number('idempotency.retention_hours'),
        clock,
        ids,
        log,
        metrics,
      }),
    );
    mount.app.get('/healthz', async () => ({ alive: true }));
    mount.app.get('/readyz', async (_, reply) => {
      const state = await readiness([{ name: 'database', check: database.check }], scope.stopping);
      return reply.code(state.ready ? 200 : 503).send(state);
    });
    await mount.app.listen({ host: config.host, port: config.port });
  },
});
