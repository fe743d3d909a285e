import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { type Ask, asking, local, store } from './testing.ts';

const clock = makeTestClock(new Date('2026-03-04T05:06:07.089Z'));
const q = (path: string) => `path=${encodeURIComponent(path)}`;

describe('a link to a file', () => {
  let world: World;
  let tenant: Tenant;
  let ask: Ask;
  beforeAll(async () => {
    world = await openWorld({
      clock,
      policies: {
        'storage.links_max': 3,
        'storage.trash_days': 1,
        'rate_limit.shared_file_requests_per_minute': 1_000,
      },
    });
    tenant = await world.found('linking');
    ask = asking(world, tenant.token, tenant.projectId);
  });
  afterAll(() => world?.close());

  const share = async (path: string, text: string, hours = 1, content_type = 'text/html') => {
    await store(world, ask, path, Buffer.from(text), { content_type });
    const made = await ask('POST', '/links', { path, hours });
    expect(made.status, made.text).toBe(201);
    return made.body as { readonly id: string; readonly url: string };
  };
  /** What a stranger gets: no token goes along. */
  const open = async (url: string) => {
    const first = await world.call('GET', local(url));
    if (first.status !== 302) return { status: first.status, code: first.body.code };
    return world.call('GET', local(String(first.headers['location'])));
  };
  const end = async (id: string) => expect((await ask('DELETE', `/links/${id}`)).status).toBe(200);

  it('opens it without a sign-in, as a download that no browser runs', async () => {
    const { id, url } = await share('shared/page.html', '<script>alert(1)</script>');
    const got = await open(url);
    expect(got).toMatchObject({ status: 200, text: '<script>alert(1)</script>' });
    const { headers } = got as Awaited<ReturnType<World['call']>>;
    expect(headers['content-disposition']).toBe("attachment; filename*=UTF-8''page.html");
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['content-security-policy']).toContain('sandbox');
    await end(id);
    expect(await open(url)).toEqual({ status: 404, code: 'storage_link_not_found' });
  });

  it('keeps its secret as a digest alone, and shows it once', async () => {
    const { id, url } = await share('shared/secret.txt', 'x');
    const secret = new URL(url).searchParams.get('s') ?? '';
    expect(secret).toHaveLength(64);
    const listed = await ask('GET', '/links');
    expect(listed.text).not.toContain(secret);
    expect(listed.body.data).toMatchObject([{ id, path: 'shared/secret.txt', works: true, opened: 0 }]);
    for (const table of ['storage_links', 'audit_logs', 'outbox_events', 'idempotency_records']) {
      const { rows } = await world.root.query(`select to_jsonb(t)::text as row from ${table} t`);
      expect(rows.filter(({ row }) => row.includes(secret))).toEqual([]);
    }
    await end(id);
  });

  it('ends after its time, and after the time that a stricter policy gives', async () => {
    const [short, long] = [await share('shared/a', 'a', 1), await share('shared/b', 'b', 100)];
    await clock.advance(3_600_000);
    expect(await open(short.url)).toMatchObject({ status: 404 });
    expect(await open(long.url)).toMatchObject({ status: 200, text: 'b' });
    ask = asking(world, await world.token(tenant.subject), tenant.projectId);
    const tooLong = await ask('POST', '/links', { path: 'shared/b', hours: 169 });
    expect([tooLong.status, tooLong.body.code]).toEqual([400, 'validation_error']);
    await end(long.id);
  });

  it('follows its file when it is renamed, and does not work while it lies in the trash', async () => {
    const { id, url } = await share('shared/old', 'kept');
    await ask('POST', '/moves', { from: 'shared/old', to: 'shared/new' });
    expect(await open(url)).toMatchObject({ status: 200, text: 'kept' });
    await ask('DELETE', `/object?${q('shared/new')}`);
    expect(await open(url)).toMatchObject({ status: 404 });
    const [trashed] = (await ask('GET', '/trash')).body.data;
    await ask('POST', `/trash/${trashed.id}/restore`);
    expect(await open(url)).toMatchObject({ status: 200 });
    await ask('DELETE', `/object?${q('shared/new')}`);
    expect((await ask('DELETE', `/trash/${trashed.id}`)).status).toBe(200);
    expect((await ask('DELETE', `/links/${id}`)).body.code).toBe('storage_link_not_found');
  });

  it('writes each opening down in the log of the tenant, and counts it', async () => {
    const { id, url } = await share('shared/counted', 'x');
    for (let time = 0; time < 2; time += 1) await open(url);
    const [row] = (await ask('GET', '/links')).body.data;
    expect(row).toMatchObject({ id, opened: 2 });
    const { rows } = await world.root.query(
      `select action, organization_id from audit_logs where target_id = $1 order by created_at, transaction_id`,
      [id],
    );
    expect(rows.map(({ action }) => action)).toEqual(['storage.link.create', 'storage.link.open', 'storage.link.open']);
    expect(new Set(rows.map(({ organization_id }) => organization_id))).toEqual(new Set([tenant.organizationId]));
    await end(id);
  });

  it('is made by those who may share the namespace, for one file, and no more than the policy allows', async () => {
    await store(world, ask, 'shared/f/one', Buffer.from('1'));
    const member = asking(world, await world.join('linking-member', tenant, 'member'), tenant.projectId);
    expect((await member('POST', '/links', { path: 'shared/f/one', hours: 1 })).body.code).toBe(
      'storage_access_denied',
    );
    expect((await ask('POST', '/links', { path: 'shared/f/', hours: 1 })).body.code).toBe('storage_is_folder');
    expect((await ask('POST', '/links', { path: 'shared/none', hours: 1 })).body.code).toBe('storage_object_not_found');
    const stranger = await world.found('link-stranger');
    const there = asking(world, stranger.token, stranger.projectId);
    expect((await there('POST', '/links', { path: 'shared/f/one', hours: 1 })).status).toBe(404);
    const made = [];
    for (let each = 0; each < 3; each += 1) made.push(await ask('POST', '/links', { path: 'shared/f/one', hours: 1 }));
    expect((await there('DELETE', `/links/${made[0]?.body.id}`)).body.code).toBe('storage_link_not_found');
    expect((await member('DELETE', `/links/${made[0]?.body.id}`)).body.code).toBe('storage_access_denied');
    const more = await ask('POST', '/links', { path: 'shared/f/one', hours: 1 });
    expect([more.status, more.body.code]).toEqual([409, 'storage_limit_reached']);
    for (const { body } of made) await end(body.id);
  });

  it.each(['', '?s=', '?s=0', '?s=a&s=b', `?s=${'0'.repeat(64)}`, `?s=${'%00'.repeat(9)}`])(
    'is none at %j, and the answer is the same for each',
    async (query) => {
      const answer = await world.call('GET', `/shared${query}`);
      expect([answer.status, answer.body.code, answer.body.message ?? answer.body.detail]).toEqual([
        ...[404, 'storage_link_not_found', 'This link does not work, or no longer: ask who sent it for another one.'],
      ]);
    },
  );
});

describe('links to files, where an address opens too many', () => {
  it('are refused for a while, whether the secret is right or wrong', async () => {
    const world = await openWorld({ policies: { 'rate_limit.shared_file_requests_per_minute': 2 } });
    try {
      const answers = [];
      for (let time = 0; time < 3; time += 1) answers.push(await world.call('GET', `/shared?s=${time}`));
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 429]);
      expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(0);
    } finally {
      await world.close();
    }
  });
});
