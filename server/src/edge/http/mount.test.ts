import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { defineRoute, organizationCreate, projectCreate, routes, versionGet } from '@gpuaas/contract';
import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { openBareMount, somebody } from '../../../test/hostile/bare-mount.ts';
import type { Act } from '../../kernel/act.ts';
import { Fault, Outage } from '../../kernel/fault.ts';
import { idempotencyOf, KeyTaken } from '../../kernel/idempotency.ts';
import { armFailpoints, disarmFailpoints } from '../../kernel/process/failpoint.ts';
import { makeLog } from '../../kernel/telemetry/log.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  disarmFailpoints();
  for (const mount of opened.splice(0)) await mount.close();
});
const open = async (given: Parameters<typeof openBareMount>[0] = {}) => {
  const lines: string[] = [];
  const log = makeLog('test', 'debug', { write: (line) => void lines.push(line) });
  const mount = await openBareMount({ log, ...given });
  opened.push(mount);
  return { ...mount, lines };
};
const token = { authorization: 'Bearer t' };
const makeThing = defineRoute({
  ...organizationCreate,
  id: 'thing_make',
  path: '/things',
  shownOnce: ['secret'],
  response: Type.Object({ id: Type.String(), secret: Type.String() }),
});
const writing = { ...token, 'idempotency-key': 'k', 'content-type': 'application/json' };
const body = { name: 'A name', slug: 'a-slug' };

describe('routes and handlers', () => {
  it('match one to one, or the server does not start', async () => {
    const handle = async () => ({});
    const of = (...routes: (typeof versionGet | typeof projectCreate)[]) => routes.map((route) => ({ route, handle }));
    const start = (given: Parameters<typeof openBareMount>[0]) => openBareMount(given);
    await expect(start({ routes: [versionGet], handlers: [] })).rejects.toThrow('version_get has no handler');
    await expect(start({ routes: [versionGet], handlers: of(versionGet, projectCreate) })).rejects.toThrow(
      'project_create has a handler but is not in the contract',
    );
    await expect(start({ routes: [versionGet], handlers: of(versionGet, versionGet) })).rejects.toThrow(
      'version_get has two handlers',
    );
  });
});

describe('a correlation id', () => {
  it('is taken over when it is well-formed, and made otherwise', async () => {
    const { app } = await open();
    const idFor = async (id: string) =>
      (await app.inject({ url: '/api/v1/version', headers: { 'x-request-id': id } })).headers['x-request-id'];
    expect(await idFor('mine-1.2:3_4')).toBe('mine-1.2:3_4');
    for (const odd of ['a b', 'a'.repeat(129), 'ä', 'gpuaas_pat_canary0123456789']) {
      expect(await idFor(odd), odd).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('an empty correlation id', () => {
  it('is refused: it was meant to be one', async () => {
    const { app } = await open();
    const reply = await app.inject({ url: '/api/v1/version', headers: { 'x-request-id': '' } });
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'validation_error']);
  });
});

describe('a browser that comes by https', () => {
  it('is told to come by nothing else, and by http it is not', async () => {
    const of = async (isHttps: boolean) =>
      (await (await open({ isHttps })).app.inject('/api/v1/version')).headers['strict-transport-security'];
    expect([await of(true), await of(false)]).toEqual(['max-age=63072000', undefined]);
  });
});

describe('a handler', () => {
  it('that throws is answered with a correlation id and nothing else, and logged whole', async () => {
    const cause = new Error('inner gpuaas_pat_canary0123456789');
    const { app, lines } = await open({
      handle: { version_get: () => Promise.reject(new Error('the table users is on fire', { cause })) },
    });
    const reply = await app.inject({ url: '/api/v1/version' });
    expect(reply.statusCode).toBe(500);
    expect(reply.json()).toMatchObject({ code: 'internal_error', correlation_id: reply.headers['x-request-id'] });
    expect(reply.payload).not.toMatch(/fire|canary|stack/);
    const line = JSON.parse(lines.find((one) => one.includes('a request failed')) ?? '{}');
    expect(line).toMatchObject({
      correlation_id: reply.headers['x-request-id'],
      err: { message: 'the table users is on fire', cause: { message: 'inner [REDACTED]' } },
    });
  });

  it.each([
    Object.assign(new Error('x'), { code: '57P01' }),
    Object.assign(new Error('x'), { code: '53300' }),
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    new Error('timeout exceeded when trying to connect'),
    new Outage('the issuer is away'),
  ])('that misses something it needs is answered with 503: %s', async (error) => {
    const { app } = await open({ handle: { version_get: () => Promise.reject(error) } });
    const reply = await app.inject({ url: '/api/v1/version' });
    expect(reply.statusCode).toBe(503);
    expect(reply.headers['retry-after']).toBe('1');
    expect(reply.json()).toMatchObject({ code: 'service_unavailable' });
  });

  it('is answered with 503 while the disk of the database is full, and as usual when there is room again', async () => {
    const full = Object.assign(new Error('could not extend file "base/1/2": No space left on device'), {
      code: '53100',
    });
    const state = { isFull: true };
    const version = { product: 'gpuaas', version: '1.2.3', commit: null, contract: 'sha256:0' };
    const { app } = await open({
      handle: { version_get: async () => (state.isFull ? Promise.reject(full) : version) },
    });
    const refused = await app.inject({ url: '/api/v1/version' });
    expect(refused.statusCode).toBe(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json()).toMatchObject({ code: 'service_unavailable' });
    expect(refused.payload).not.toMatch(/base|device/);
    state.isFull = false;
    const served = await app.inject({ url: '/api/v1/version' });
    expect(served.statusCode).toBe(200);
  });

  it('whose answer is not what was promised fails, and shows none of it', async () => {
    const { app } = await open({ handle: { version_get: async () => ({ password: 'hunter2' }) } });
    const reply = await app.inject({ url: '/api/v1/version' });
    expect(reply.json()).toMatchObject({ status: 500, code: 'internal_error' });
    expect(reply.payload).not.toContain('hunter2');
  });

  it('answers a refusal with its own code', async () => {
    const { app } = await open({
      handle: { organization_list: async () => new Fault('cursor_invalid', 'Start again.') },
    });
    const reply = await app.inject({ url: '/api/v1/organizations', headers: token });
    expect(reply.json()).toMatchObject({ status: 400, code: 'cursor_invalid', message: 'Start again.' });
  });

  it('is not reached by a caller whose token was revoked, who spent the budget, or who may not', async () => {
    const reached: string[] = [];
    const handle = {
      organization_list: async () => {
        reached.push('list');
        return { data: [], next_cursor: null, has_more: false };
      },
    };
    const list = { url: '/api/v1/organizations', headers: token };
    const codeOf = async (given: Parameters<typeof openBareMount>[0]) =>
      (await (await open({ handle, ...given })).app.inject(list)).json().code;
    expect(await codeOf({ denyList: { denies: ({ tokenId }) => tokenId === 't' } })).toBe('token_invalid');
    const spent = { allowed: false, limit: 1, remaining: 0, resetSeconds: 7, firstRefusal: true };
    expect(await codeOf({ rateLimit: async () => spent })).toBe('rate_limit_exceeded');
    const machine = { ...somebody, kind: 'service_account' } as const;
    expect(await codeOf({ authenticate: async () => machine })).toBe('service_account_refused');
    expect(reached).toEqual([]);
    expect(await codeOf({})).toBeUndefined();
    expect(reached).toEqual(['list']);
  });

  it('gets nothing when a failpoint stops the answer', async () => {
    const { app } = await open();
    armFailpoints('http.before-response=fail');
    expect((await app.inject({ url: '/api/v1/version' })).statusCode).toBe(500);
  });
});

describe('a write', () => {
  const thing = async (who: unknown) => {
    const value = { id: 'i', secret: 'shown' };
    const kept = idempotencyOf(who as never)?.encode(value);
    return { value, kept };
  };

  it('answers what it wrote, and keeps it without what is shown once', async () => {
    let kept: unknown;
    const { app } = await open({
      routes: [makeThing],
      handle: {
        thing_make: async (who) => {
          const made = await thing(who);
          kept = made.kept;
          return made;
        },
      },
    });
    const reply = await app.inject({ method: 'POST', url: '/things', headers: writing, payload: body });
    expect([reply.statusCode, reply.json()]).toEqual([201, { id: 'i', secret: 'shown' }]);
    expect(kept).toEqual({ status: 201, kept: '{"id":"i","secret":"[shown once]"}' });
  });

  it('whose key is running is told to come back; one that is done gets the stored answer', async () => {
    const prints: string[] = [];
    let stored: string | undefined;
    const { app, metrics } = await open({
      routes: [makeThing],
      handle: {
        thing_make: async (who) => {
          prints.push(idempotencyOf(who as never)?.fingerprint ?? '');
          throw stored === undefined
            ? new KeyTaken('running')
            : new KeyTaken('done', { fingerprint: stored, status: 201, body: '{"id":"i"}' });
        },
      },
    });
    const send = (payload: object = body) => app.inject({ method: 'POST', url: '/things', headers: writing, payload });
    const running = await send();
    expect([running.statusCode, running.json().code, running.headers['retry-after']]).toEqual([
      409,
      'idempotency_in_progress',
      '1',
    ]);
    stored = prints[0];
    const replayed = await send();
    expect([replayed.statusCode, replayed.payload, replayed.headers['idempotency-replayed']]).toEqual([
      201,
      '{"id":"i"}',
      'true',
    ]);
    expect((await send({ ...body, name: 'Other' })).json().code).toBe('idempotency_key_reused');
    expect(await metrics.scrape()).toContain('gpuaas_idempotency_replays_total{process="test"} 1');
  });

  it('that refuses keeps nothing; one that fails is our fault even with a key', async () => {
    const { app } = await open({
      routes: [makeThing],
      handle: { thing_make: async () => new Fault('organization_slug_taken', 'Taken.') },
    });
    const reply = await app.inject({ method: 'POST', url: '/things', headers: writing, payload: body });
    expect(reply.json()).toMatchObject({ status: 409, code: 'organization_slug_taken' });
    const broken = await open({ routes: [makeThing], handle: { thing_make: () => Promise.reject(new Error('x')) } });
    const failed = await broken.app.inject({ method: 'POST', url: '/things', headers: writing, payload: body });
    expect(failed.statusCode).toBe(500);
  });

  it('without a need for a key is answered all the same', async () => {
    const natural = defineRoute({ ...makeThing, idempotency: { natural: 'the same twice is the same' } });
    const { app } = await open({ routes: [natural], handle: { thing_make: thing } });
    const reply = await app.inject({ method: 'POST', url: '/things', headers: token, payload: body });
    expect(reply.statusCode).toBe(201);
  });
});

describe('refusals of permission', () => {
  it('are written to the audit log, without holding up the answer; those of form are not', async () => {
    const written: string[] = [];
    const { app, close } = await open({
      database: {
        read: () => Promise.reject(new Error('unused')),
        write: (async (act: Act) => void written.push(`${act.action} ${act.userAgent}`)) as never,
      },
      tenants: { role: async () => undefined, owners: everyOwner },
    });
    const get = (id: string) =>
      app.inject({
        url: `/api/v1/projects/${id}`,
        headers: { ...token, 'user-agent': 'agent Bearer canary-canary-canary' },
      });
    expect((await get('01890000-0000-7000-8000-000000000002')).statusCode).toBe(404);
    expect((await get('nonsense')).statusCode).toBe(400);
    await close();
    expect(written).toEqual(['authz.deny agent [REDACTED]']);
  });
});

describe('closing', () => {
  it('answers what is under way, refuses what comes then, and ends', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const mount = await openBareMount({
      handle: {
        version_get: async () => {
          begun.resolve();
          await gate.promise;
          return { product: 'gpuaas', version: '0.0.0', commit: null, contract: 'sha256:0' };
        },
      },
    });
    await mount.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = mount.app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const answered = text(socket);
    socket.write('GET /api/v1/version HTTP/1.1\r\nHost: x\r\n\r\n');
    await begun.promise;
    const closing = mount.close();
    // On the same connection, behind the one that is under way.
    const arrived = once(mount.app.server, 'request');
    socket.write('GET /api/v1/version HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived;
    gate.resolve();
    await closing;
    const answers = (await answered).split(/(?=HTTP\/1\.1 )/);
    expect(answers[0]).toMatch(/^HTTP\/1\.1 200 /);
    expect(answers[0]).toContain('"product":"gpuaas"');
    expect(answers).toHaveLength(2);
    expect(answers[1]).toMatch(/^HTTP\/1\.1 503 /);
    expect(answers[1]).toContain('"code":"service_unavailable"');
    expect(answers[1]).toContain('Connection: close');
  });
});

const everyOwner = Object.fromEntries(
  ['project_id', ...routes.flatMap(({ tenancy }) => ('param' in tenancy ? [tenancy.param] : []))].map((param) => [
    param,
    { absent: 'project_not_found' as const, find: async () => ({ organizationId: 'o', projectId: undefined }) },
  ]),
);
