import { randomBytes } from 'node:crypto';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { makeLog } from '../../src/kernel/telemetry/log.ts';
import { startTracing } from '../../src/kernel/telemetry/trace.ts';
import { type Everything, openEverything, type Traveller } from './support/processes.ts';

/**
 * A whole run with secrets in it, real ones and misplaced ones, every process at its most talkative; then a look into
 * every place where something stays. A name that somebody chose is planted too, of another kind: it may travel, and
 * where it is found the look has worked.
 */
const mark = randomBytes(6).toString('hex');
const name = `Chosen ${mark}`;
const dashes = '-'.repeat(5);
const misplaced: Readonly<Record<string, string>> = {
  'somebody else`s token': `eyJhbGciOiJFUzI1NiJ9.${Buffer.from(`{"sub":"${mark}"}`).toString('base64url')}.c2lnbmF0dXJl`,
  'a private key': `${dashes}BEGIN PRIVATE KEY${dashes} MIIE${mark}planted ${dashes}END PRIVATE KEY${dashes}`,
  'a password in an address': `postgres://somebody:${mark}-planted@database.example.test/gpuaas`,
  'a personal token': `gpuaas_pat_${mark}planted`,
};

const exporter = new InMemorySpanExporter();
const tracing = startTracing({ processors: [new SimpleSpanProcessor(exporter)] });
const secretsKey = randomBytes(32).toString('base64');
const lines: string[] = [];
const refusals: string[] = [];
/** What was given out or used in this run, by name. */
const real: Record<string, string> = { 'the sealing key': secretsKey };
let everything: Everything;
let places: Record<string, string>;

const codings = (secret: string): Readonly<Record<string, string>> => ({
  plain: secret,
  base64: Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -2),
  base64url: Buffer.from(secret).toString('base64url').slice(0, -2),
  percent: encodeURIComponent(secret),
});

async function work(me: Traveller): Promise<void> {
  const must = async (method: string, path: string, body?: object) => {
    const reply = await me(method, path, body ? { body } : {});
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    return reply.body;
  };
  const { id } = await must('POST', '/api/v1/organizations', { name, slug: `org-${mark}` });
  const organization = `/api/v1/organizations/${id}`;
  const project = await must('POST', `${organization}/projects`, { name, slug: 'first' });
  const pat = await must('POST', '/api/v1/me/tokens', { name, scopes: ['organizations:read'], expires_in_days: 1 });
  real['a personal token that was made'] = pat.token;
  const invitation = await must('POST', `${organization}/invitations`, { email: 'ada@example.test', role: 'member' });
  real['an invitation'] = invitation.token;
  const robot = await must('POST', `/api/v1/projects/${project.id}/service-accounts`, {
    name,
    slug: 'robot',
    scopes: ['projects:read'],
  });
  const key = await must('POST', `/api/v1/service-accounts/${robot.id}/keys`, { name, expires_in_days: 1 });
  real['the private key of a machine'] = key.private_key.d;
  const assertion = await new SignJWT({ iss: robot.id, sub: robot.id, jti: systemIds.next() })
    .setAudience(`${everything.url}/api/v1/auth/service-accounts/token`)
    .setProtectedHeader({ alg: 'ES256', kid: key.id })
    .setExpirationTime('1m')
    .sign(await importJWK(key.private_key as JWK, 'ES256'));
  real['an assertion'] = assertion;
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const { access_token: token } = await must('POST', '/api/v1/auth/service-accounts/token', { grant_type, assertion });
  real['the token of a machine'] = token;
  const asMachine = { headers: { authorization: `Bearer ${token}` } };
  expect((await me('GET', `/api/v1/projects/${project.id}`, asMachine)).status).toBe(200);
  const asPat = { headers: { authorization: `Bearer ${pat.token}` } };
  expect((await me('GET', organization, asPat)).status).toBe(200);
  for (const plain of Object.values(misplaced)) {
    for (const value of [plain, Buffer.from(plain).toString('base64'), encodeURIComponent(plain)]) {
      await misplace(me, organization, value);
    }
  }
  await must('DELETE', `/api/v1/projects/${project.id}`);
  await eventually(async () => (await me('GET', `/api/v1/projects/${project.id}`)).status === 404);
  await eventually(async () => {
    const { rows } = await everything.root.query('select outcome from mail_deliveries where subject_id = $1', [
      invitation.id,
    ]);
    return rows[0]?.outcome === 'accepted';
  });
}

/** Sends a secret to every place where a request has room for one. */
async function misplace(me: Traveller, organization: string, value: string): Promise<void> {
  const headers = {
    'user-agent': `tool/1.0 (${value})`,
    'x-request-id': value.slice(0, 128),
    cookie: `session=${value}; gpuaas_session=${value}`,
    referer: value,
    'x-api-key': value,
  };
  const replies = [
    await me('PATCH', organization, { headers, body: { name } }),
    await me('GET', organization, { headers: { ...headers, authorization: `Basic ${value}` } }),
    await me('GET', organization, { headers: { authorization: `Bearer ${value.replaceAll(' ', '')}` } }),
    await me('GET', `/nowhere/${encodeURIComponent(value)}`),
    await me('GET', `/api/v1/projects/${encodeURIComponent(value).slice(0, 190)}`),
    await me('GET', `${organization}?note=${encodeURIComponent(value)}`),
    await me('PATCH', organization, { body: { name, password: value, deep: [{ [value]: value }] } }),
    await me('POST', '/api/v1/organizations', { body: { name: 'x', slug: value } }),
    await me('POST', '/api/v1/invitations/accept', { body: { token: `gpuaas_invite_${mark}planted` } }),
  ];
  for (const { status, body } of replies) if (status >= 400) refusals.push(JSON.stringify(body));
}

/** Every row of every table there is, of ours and of the adapters; the letters themselves are somebody's mail. */
async function tables(): Promise<Record<string, string>> {
  const { rows } = await everything.root.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema', 'gpuaas_mail')`,
  );
  const texts: [string, string][] = [];
  for (const { name: table } of rows) {
    const found = await everything.root.query(`select coalesce(string_agg(t::text, ' '), '') as text from ${table} t`);
    texts.push([table, found.rows[0].text as string]);
  }
  return Object.fromEntries(texts);
}

beforeAll(async () => {
  everything = await openEverything({
    secretsKey,
    log: makeLog('canaries', 'debug', { write: (line) => void lines.push(line) }),
  });
  real['the password of the database'] = new URL(everything.databaseUrl).password;
  const me = await everything.traveller(`owner-${mark}`, (token) => {
    real['the token of a person'] = token;
  });
  await work(me);
  const metrics = await Promise.all(
    everything.running.map(async ({ healthUrl }) => (await fetch(`${healthUrl}/metrics`)).text()),
  );
  const health = await Promise.all(
    everything.running.map(async ({ healthUrl }) => (await fetch(`${healthUrl}/readyz`)).text()),
  );
  places = {
    ...(await tables()),
    log: lines.join(''),
    refusals: refusals.join('\n'),
    metrics: metrics.join('\n'),
    health: health.join('\n'),
    traces: JSON.stringify(
      exporter.getFinishedSpans().map(({ name: span, attributes, events, status }) => ({
        ...{ span, attributes, status },
        events: events.map(({ name: event, attributes: about }) => ({ event, about })),
      })),
    ),
  };
}, 120_000);
afterAll(async () => {
  await everything.close();
  await tracing.close();
});

describe('after a run with secrets in it', () => {
  it('the places that were looked at are the ones where things stay', () => {
    for (const place of ['log', 'refusals', 'metrics', 'traces', 'public.audit_logs', 'public.outbox_events']) {
      expect(places[place]?.length, place).toBeGreaterThan(100);
    }
  });

  it('a name that somebody chose is found where it may travel, and neither in metrics nor in traces', () => {
    for (const place of ['public.audit_particulars', 'public.organizations']) {
      expect(places[place], place).toContain(name);
    }
    // A row of the audit log is kept for ever, so the words of people stand beside it.
    expect(places['public.audit_logs']).not.toContain(name);
    for (const place of ['metrics', 'traces', 'health', 'log']) expect(places[place], place).not.toContain(mark);
  });

  it('no secret that was misplaced is anywhere, in any coding', () => {
    const found = Object.entries(misplaced).flatMap(([what, secret]) => whereIs(what, secret));
    expect(found).toEqual([]);
    // What was planted carries this word behind the mark, also where only a piece of it was kept.
    expect(Object.keys(places).filter((place) => places[place]?.includes(`${mark}planted`))).toEqual([]);
    expect(Object.keys(places).filter((place) => places[place]?.includes(`${mark}-planted`))).toEqual([]);
  });

  it('no secret that was given out or used is anywhere, in any coding', () => {
    expect(Object.keys(real).sort()).toHaveLength(8);
    expect(Object.entries(real).flatMap(([what, secret]) => whereIs(what, secret))).toEqual([]);
  });
});

const whereIs = (what: string, secret: string): string[] => {
  expect(secret.length, what).toBeGreaterThan(16);
  return Object.entries(places).flatMap(([place, text]) =>
    Object.entries(codings(secret)).flatMap(([coding, coded]) =>
      text.includes(coded) ? [`${what}, ${coding}, in ${place}`] : [],
    ),
  );
};
