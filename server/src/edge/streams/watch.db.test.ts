import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';

let world: World;
let acme: Tenant;
let other: Tenant;
let port: number;
beforeAll(async () => {
  world = await openWorld();
  acme = await world.found('acme');
  other = await world.found('other');
  port = (await world.listen()).port;
});
afterAll(() => world.close());

interface Seen {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly payload?: { readonly name?: string } };
}
/** A client as EventSource is one: it reads frames, and remembers the last id. */
const listen = (tenant: Tenant, query = '', headers: Record<string, string> = {}) =>
  open(tenant.token, `/api/v1/events/stream?project_id=${tenant.projectId}${query}`, headers);
async function open(token: string, path: string, headers: Record<string, string> = {}, at = port) {
  const seen: Seen[] = [];
  let changed = Promise.withResolvers<void>();
  const call = request({
    port: at,
    path,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  call.end();
  const [reply] = (await once(call, 'response')) as [IncomingMessage];
  let rest = '';
  reply.setEncoding('utf8');
  reply.on('data', (text: string) => {
    rest += text;
    const frames = rest.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1] ?? '';
      if (field('event')) seen.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) });
    }
    changed.resolve();
    changed = Promise.withResolvers();
  });
  // Leaving breaks the connection, which is no failure here.
  reply.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => reply.once('close', () => resolve()));
  const until = async (met: () => boolean) => {
    while (!met()) await changed.promise;
  };
  await until(() => seen.length > 0 || reply.statusCode !== 200);
  return { status: reply.statusCode, seen, until, ended, names: () => namesOf(seen), leave: () => call.destroy() };
}
const namesOf = (seen: readonly Seen[]) => seen.flatMap(({ data }) => data.payload?.name ?? []);
const rename = (tenant: Tenant, name: string) =>
  world.call('PATCH', `/api/v1/projects/${tenant.projectId}`, {
    as: tenant.token,
    key: systemIds.next(),
    body: { name },
  });

describe('the stream of events', () => {
  it('tells what happens in a project, in order, and nothing of others', async () => {
    const stream = await listen(acme);
    expect(stream.seen[0]?.event).toBe('ready');
    for (const name of ['One', 'Two']) {
      expect((await rename(other, `Other ${name}`)).status).toBe(200);
      expect((await rename(acme, name)).status).toBe(200);
    }
    await stream.until(() => stream.names().length >= 2);
    expect(stream.names()).toEqual(['One', 'Two']);
    stream.leave();
  });

  it('goes on where the last connection ended, on whatever id that was', async () => {
    const first = await listen(acme);
    for (const name of ['A', 'B', 'C']) await rename(acme, name);
    await first.until(() => first.names().length >= 3);
    first.leave();
    await rename(acme, 'D');
    for (const [at, event] of first.seen.entries()) {
      const resumed = await listen(acme, '', { 'last-event-id': event.id });
      const missed = ['A', 'B', 'C', 'D'].slice(at);
      await resumed.until(() => resumed.names().length >= missed.length);
      expect(resumed.names()).toEqual(missed);
      resumed.leave();
    }
  });

  it('tells people who see the account what happens to its money, live and after a gap; members are not told', async () => {
    const member = { ...acme, token: await world.join('watching-member', acme, 'member') };
    const put = async (type: string) => {
      const id = systemIds.next();
      await world.root.query(
        `insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope)
         values ($1, $1::uuid::text, $2, $3::text, $3::text::uuid, jsonb_build_object('project_id', null, 'payload', jsonb_build_object('name', $2::text)))`,
        [id, type, acme.organizationId],
      );
    };
    const [owner, other] = [await listen(acme), await listen(member)];
    await put('billing.low_balance_warning');
    await put('payments.reconcile_failed');
    await put('payments.balance_credited');
    expect((await rename(acme, 'After the money')).status).toBe(200);
    await Promise.all([owner, other].map((each) => each.until(() => each.names().includes('After the money'))));
    const told = ['billing.low_balance_warning', 'payments.balance_credited', 'After the money'];
    expect(owner.names()).toEqual(told);
    expect(other.names()).toEqual(['After the money']);
    // The log says the same as the live stream.
    const resumed = await listen(acme, '', { 'last-event-id': owner.seen[0]?.id ?? '' });
    await resumed.until(() => resumed.names().includes('After the money'));
    expect(resumed.names()).toEqual(told);
    for (const each of [owner, other, resumed]) each.leave();
  });

  it('can be narrowed to an object and to types, and can end with what is there', async () => {
    await rename(acme, 'Narrow');
    const all = async (query: string) => {
      const stream = await listen(acme, `&follow=false&after=0-1-0${query}`);
      await stream.ended;
      return stream.seen.map(({ event }) => event).filter((event) => event !== 'ready');
    };
    // Events appear when all older transactions on the server are over.
    await expect.poll(() => all(`&about=${acme.projectId}`), { timeout: 15_000 }).toContain('tenancy.project.changed');
    expect(new Set(await all('&types=tenancy.project.changed'))).toEqual(new Set(['tenancy.project.changed']));
    expect(await all('&types=tenancy.proj')).toEqual([]);
    expect((await all('&types=tenancy')).length).toBeGreaterThan(1);
    expect(await all(`&about=${other.projectId}`)).toEqual([]);
  });

  it('refuses a foreign project like an absent one, and an id that is none', async () => {
    const foreign = await world.call('GET', `/api/v1/events/stream?project_id=${other.projectId}`, { as: acme.token });
    const absent = await world.call('GET', `/api/v1/events/stream?project_id=${systemIds.next()}`, { as: acme.token });
    expect([foreign.status, absent.status]).toEqual([404, 404]);
    const bad = await world.call('GET', `/api/v1/events/stream?project_id=${acme.projectId}&after=9-1-x`, {
      as: acme.token,
    });
    expect(bad.body.code).toBe('cursor_invalid');
  });

  it.each(['1-18446744073709551616-0', '1-2-9223372036854775808', '99999999999999999999-99999999999999999999-0'])(
    'refuses an id that no database could have given: %s',
    async (id) => {
      const refused = await world.call('GET', `/api/v1/events/stream?project_id=${acme.projectId}`, {
        as: acme.token,
        headers: { 'last-event-id': id },
      });
      expect(refused).toMatchObject({ status: 400, body: { code: 'cursor_invalid' } });
    },
  );

  it('starts with what is yet to come for an id from the future, as after a restored database', async () => {
    await rename(acme, 'Before');
    const past = async () => {
      const stream = await listen(acme, '&follow=false&after=0-1-0');
      await stream.ended;
      return stream.names();
    };
    // Events appear when all older transactions on the server are over; what is late would count as yet to come.
    await expect.poll(past, { timeout: 15_000 }).toContain('Before');
    const stream = await listen(acme, '', { 'last-event-id': '9000000000000000000-9000000000000000000-0' });
    expect((await rename(acme, 'After')).status).toBe(200);
    await stream.until(() => stream.names().length > 0);
    expect(stream.names()).toEqual(['After']);
    stream.leave();
  });

  it('is limited in number for each caller, and one that ended makes room', async () => {
    const narrow = await openWorld({ beside: world, policies: { 'streams.max_per_person': 1 } });
    try {
      const { port: there } = await narrow.listen();
      const first = await open(acme.token, `/api/v1/events/stream?project_id=${acme.projectId}`, {}, there);
      const path = `/api/v1/events/stream?project_id=${acme.projectId}&follow=false`;
      const ask = () => narrow.call('GET', path, { as: acme.token });
      expect(await ask()).toMatchObject({ status: 429, body: { code: 'too_many_streams' } });
      first.leave();
      await expect.poll(async () => (await ask()).status, { timeout: 15_000 }).toBe(200);
      // A stream that ended by itself gave its seat back too.
      await expect.poll(async () => (await ask()).status, { timeout: 15_000 }).toBe(200);
    } finally {
      await narrow.close();
    }
  });

  it('ends when the role behind it is taken away', async () => {
    const guest = { ...acme, token: await world.join('guest', acme, 'viewer') };
    const stream = await listen(guest);
    const { body } = await world.call('GET', '/api/v1/me', { as: guest.token });
    const gone = await world.call('DELETE', `/api/v1/organizations/${acme.organizationId}/members/${body.id}`, {
      as: acme.token,
      key: systemIds.next(),
    });
    expect(gone.status).toBe(200);
    await stream.ended;
    expect(stream.status).toBe(200);
  });

  it('tells operators what happens anywhere, and goes on where it ended', async () => {
    const operator = await world.operator();
    const stream = await open(operator, '/api/v1/admin/events/stream');
    expect((await rename(acme, 'Here')).status).toBe(200);
    expect((await rename(other, 'There')).status).toBe(200);
    await stream.until(() => stream.names().includes('There'));
    expect(stream.names().filter((name) => ['Here', 'There'].includes(name))).toEqual(['Here', 'There']);
    stream.leave();
    await rename(other, 'Later');
    const last = stream.seen.at(-1)?.id ?? '';
    const resumed = await open(operator, '/api/v1/admin/events/stream', { 'last-event-id': last });
    await resumed.until(() => resumed.names().length > 0);
    expect(resumed.names()).toEqual(['Later']);
    resumed.leave();
  });

  it('is for operators alone where it is about everybody', async () => {
    const refused = await world.call('GET', '/api/v1/admin/events/stream', { as: acme.token });
    expect(refused.body.code).toBe('admin_required');
  });
});
