import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../src/kernel/id.ts';
import { makeLog } from '../../src/kernel/telemetry/log.ts';
import { openWorld, type Reply, type Tenant, type World } from '../../src/testing/world.ts';
import { openBareMount } from './bare-mount.ts';

/**
 * Secrets that a caller sends to the wrong place: into a header that is logged, a field that does not exist, a path. None
 * of them may come back in a refusal, nor stay in the log, the audit log or an event. They are put together here, so that
 * no scanner takes them for real ones.
 */
const dashes = '-'.repeat(5);
const plain: Readonly<Record<string, string>> = {
  jwt: `eyJhbGciOiJFUzI1NiJ9.${Buffer.from('{"sub":"canary-subject"}').toString('base64url')}.Y2FuYXJ5LXNpZ25hdHVyZQ`,
  bearer: 'Bearer canary-opaque-0123456789',
  key: `${dashes}BEGIN PRIVATE KEY${dashes} MIIEcanarycanarycanary ${dashes}END PRIVATE KEY${dashes}`,
  url: 'https://somebody:canary-password@example.test/',
  pat: 'gpuaas_pat_canary0123456789',
  sak: 'gpuaas_sak_canary0123456789',
};
const secrets = Object.entries(plain).flatMap(([name, value]) => [
  { name, value },
  { name: `${name} in base64`, value: Buffer.from(value).toString('base64') },
  { name: `${name} behind percent signs`, value: encodeURIComponent(value) },
]);

let world: World;
let home: Tenant;
let viewer: string;
const lines: string[] = [];
let replies: Reply[] = [];

beforeAll(async () => {
  world = await openWorld({ log: makeLog('test', 'debug', { write: (line) => void lines.push(line) }) });
  home = await world.found('home');
  viewer = await world.join('viewer', home, 'viewer');
});
afterAll(() => world.close());

/** Everything that stays, as text. */
async function kept(): Promise<Record<string, string>> {
  const { rows } = await world.root.query(
    `select (select coalesce(string_agg(a::text, ' '), '') from audit_logs a) as audit,
       (select coalesce(string_agg(e::text, ' '), '') from outbox_events e) as events`,
  );
  return { log: lines.join(''), refusals: replies.map(({ text }) => text).join('\n'), ...rows[0] };
}

/** The neighbourhood of each place where a secret shows, so that a failure says where and not everything. */
const leaks = (text: string, value: string): string[] =>
  ['canary', value].flatMap((part) => {
    const at = text.indexOf(part);
    return at < 0 ? [] : [text.slice(Math.max(0, at - 80), at + 80)];
  });

describe.each(secrets)('$name', ({ value }) => {
  const send = async (method: string, path: string, ask: Parameters<World['call']>[2] = {}) => {
    const reply = await world.call(method, path, { as: home.token, key: systemIds.next(), ...ask });
    replies.push(reply);
    return reply;
  };

  it('stays nowhere, whichever way it comes in', async () => {
    replies = [];
    const organization = `/api/v1/organizations/${home.organizationId}`;
    const headers = {
      'user-agent': `tool/1.0 (${value})`,
      'x-request-id': value.slice(0, 128),
      cookie: `session=${value}`,
      traceparent: value,
      referer: value,
      'x-api-key': value,
    };
    const expected: [Promise<Reply>, number][] = [
      [send('PATCH', organization, { headers, body: { name: 'Another name' } }), 200],
      [send('PATCH', organization, { as: viewer, headers, body: { name: 'Not mine' } }), 403],
      [send('GET', organization, { headers: { ...headers, authorization: `Basic ${value}` } }), 401],
      [send('GET', organization, { headers: { authorization: `Bearer ${value.replaceAll(' ', '')}` } }), 401],
      [send('GET', '/api/v1/activity', { headers: { 'x-project-id': value } }), 400],
      [send('GET', `/api/v1/projects/${encodeURIComponent(value).slice(0, 190)}`), 400],
      [send('GET', `/nowhere/${encodeURIComponent(value)}`), 404],
      [send('GET', `${organization}?${encodeURIComponent(value)}=1`), 400],
      [send('GET', `${organization}?note=${encodeURIComponent(value)}`), 400],
      [send('PATCH', organization, { body: { name: 'x', [value]: 1 } }), 400],
      [send('PATCH', organization, { body: { name: 'x', password: value, deep: { deeper: [value] } } }), 400],
      [send('PATCH', organization, { body: { name: { secret: value } } }), 400],
      [send('PATCH', organization, { body: `{"name": ${value}` }), 400],
      [send('GET', `/api/v1/organizations?cursor=${encodeURIComponent(value)}`), 400],
      [send('POST', '/api/v1/organizations', { body: { name: 'x', slug: value } }), 400],
    ];
    for (const [reply, status] of expected) expect((await reply).status).toBe(status);
    for (const [place, text] of Object.entries(await kept())) {
      if (place !== 'log') expect(text.length, place).toBeGreaterThan(0);
      expect({ place, leaks: leaks(text, value) }).toEqual({ place, leaks: [] });
    }
  });

  it('stays nowhere when something of ours fails with it in hand', async () => {
    const mount = await openBareMount({
      log: makeLog('test', 'debug', { write: (line) => void lines.push(line) }),
      handle: {
        version_get: () => {
          const inner = Object.assign(new Error(value), {
            code: value,
            request: { headers: { authorization: value } },
          });
          throw new AggregateError([inner, { note: value }], `could not ${value}`, { cause: inner });
        },
      },
    });
    const before = lines.length;
    const reply = await mount.app.inject({ url: '/api/v1/version', headers: { 'user-agent': value } });
    await mount.close();
    expect(reply.statusCode).toBe(500);
    const told = lines.slice(before).join('');
    expect(told).toContain('a request failed');
    expect(told).toContain('[REDACTED]');
    expect(leaks(`${told}${reply.payload}`, value)).toEqual([]);
  });
});
