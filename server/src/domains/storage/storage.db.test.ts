import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { type Ask, asking, fetchFile, local, sendParts, sha256Of, store } from './testing.ts';

const clock = makeTestClock(new Date('2026-03-04T05:06:07.089Z'));
const q = (path: string, more = '') => `path=${encodeURIComponent(path)}${more}`;

describe('storage', () => {
  let world: World;
  let tenant: Tenant;
  let ask: Ask;
  beforeAll(async () => {
    world = await openWorld({
      clock,
      policies: {
        ...{ 'storage.quota_gib': 1, 'storage.part_mib': 5, 'storage.grants_max': 2 },
        'storage.entries_per_change_max': 5,
      },
    });
    tenant = await world.found('storing');
    ask = asking(world, tenant.token, tenant.projectId);
  });
  afterAll(() => world?.close());

  const project = async (slug: string, as = tenant.token): Promise<string> => {
    const made = await world.call('POST', `/api/v1/organizations/${tenant.organizationId}/projects`, {
      ...{ as, key: systemIds.next(), body: { name: slug, slug } },
    });
    return made.body.id;
  };
  const userOf = async (subject: string): Promise<string> =>
    (await world.root.query('select id from users where oidc_subject = $1', [subject])).rows[0].id;
  /** The owner's own requests in a project of its own, so that sizes are those of one test. */
  const alone = async (slug: string) => {
    const projectId = await project(slug);
    return { projectId, ask: asking(world, tenant.token, projectId) };
  };

  it('keeps a file with the folders on its way, and gives it back whole and in ranges', async () => {
    const bytes = Buffer.from('what was learnt');
    const kept = await store(world, ask, 'checkpoints/run-1/epoch/1.bin', bytes, { content_type: 'text/plain' });
    expect(kept.checksum).toBe(`sha256:${sha256Of(bytes)}`);
    expect(await fetchFile(world, ask, q('checkpoints/run-1/epoch/1.bin'))).toBe('what was learnt');
    expect(await fetchFile(world, ask, q('checkpoints/run-1/epoch/1.bin'), 'bytes=5-7')).toBe('was');
    const listed = await ask('GET', `/objects?${q('checkpoints/run-1/')}`);
    expect(listed.body.data).toMatchObject([{ path: 'checkpoints/run-1/epoch/', is_folder: true }]);
    const below = await ask('GET', `/objects?${q('checkpoints/run-1/', '&recursive=true')}`);
    expect(below.body.data).toMatchObject([{ path: 'checkpoints/run-1/epoch/1.bin', size_bytes: bytes.length }]);
  });

  it('keeps a file of several parts that was resumed after a break, and shows nothing of it before', async () => {
    const bytes = Buffer.alloc(11 * 1_024 * 1_024, 'weights');
    const begun = await ask('POST', '/uploads', { path: 'shared/large', size_bytes: bytes.length });
    expect(begun.body).toMatchObject({ part_count: 3, parts: [] });
    const first = bytes.subarray(0, begun.body.part_bytes);
    const address = await ask('GET', `/uploads/${begun.body.id}/part?number=1&sha256=${sha256Of(first)}`);
    await world.call('PUT', local(address.body.url), { headers: address.body.headers, body: first });
    const resumed = await ask('GET', `/uploads/${begun.body.id}`);
    expect(resumed.body.parts).toMatchObject([{ number: 1, sha256: sha256Of(first) }]);
    expect((await ask('GET', `/object?${q('shared/large')}`)).status).toBe(404);
    const early = await ask('POST', `/uploads/${begun.body.id}/finish`, {});
    expect([early.status, early.body.code, early.body.details]).toEqual([
      ...[409, 'storage_upload_incomplete', { missing: [2, 3] }],
    ]);
    await sendParts(world, ask, begun.body, bytes);
    const wrong = await ask('POST', `/uploads/${begun.body.id}/finish`, { checksum: `sha256:${'0'.repeat(64)}` });
    expect([wrong.status, wrong.body.code]).toEqual([422, 'storage_checksum_mismatch']);
    const done = await ask('POST', `/uploads/${begun.body.id}/finish`, {});
    expect(done.body.checksum).toMatch(/^sha256-parts:/);
    expect(sha256Of(Buffer.from(await fetchFile(world, ask, q('shared/large'))))).toBe(sha256Of(bytes));
    const across = await fetchFile(world, ask, q('shared/large'), `bytes=${5 * 1_048_576 - 3}-${5 * 1_048_576 + 3}`);
    expect(across).toBe(bytes.subarray(5 * 1_048_576 - 3, 5 * 1_048_576 + 4).toString());
  });

  it('refuses a part with other bytes, and an address after its time or for another kind of request', async () => {
    const begun = await ask('POST', '/uploads', { path: 'shared/refused', size_bytes: 3 });
    const address = await ask('GET', `/uploads/${begun.body.id}/part?number=1&sha256=${sha256Of(Buffer.from('abc'))}`);
    const put = (body: Buffer) => world.call('PUT', local(address.body.url), { headers: address.body.headers, body });
    expect((await put(Buffer.from('abd'))).body.code).toBe('storage_checksum_mismatch');
    expect((await put(Buffer.from('ab'))).body.code).toBe('invalid_request');
    expect((await world.call('GET', local(address.body.url))).status).toBe(404);
    expect((await ask('GET', `/uploads/${begun.body.id}`)).body.parts).toEqual([]);
    await clock.advance(61_000);
    expect((await put(Buffer.from('abc'))).status).toBe(404);
    const changed = `${local(address.body.url).slice(0, -8)}AAAAAAAA`;
    expect((await world.call('PUT', changed, { body: Buffer.from('abc') })).status).toBe(404);
  });

  it('serves no file of a tenant as a page', async () => {
    await store(world, ask, 'shared/page.html', Buffer.from('<script>1</script>'), { content_type: 'text/html' });
    const address = await ask('GET', `/download?${q('shared/page.html')}`);
    const got = await world.call('GET', local(address.body.url));
    expect(got.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''page.html",
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    });
  });

  it('never stores more than the quota, with uploads that race for the last of it', async () => {
    const { ask: here } = await alone('quota');
    const size = 400 * 1_024 * 1_024;
    const begun = await Promise.all(
      Array.from({ length: 6 }, (_, index) => here('POST', '/uploads', { path: `shared/q${index}`, size_bytes: size })),
    );
    expect(begun.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 409, 409, 409, 409]);
    expect(begun.find(({ status }) => status === 409)?.body.code).toBe('storage_quota_exceeded');
    const first = begun.find(({ status }) => status === 201);
    expect((await here('DELETE', `/uploads/${first?.body.id}`)).status).toBe(200);
    expect((await here('GET', '')).body).toMatchObject({ stored_bytes: 0, reserved_bytes: size });
    expect((await here('POST', '/uploads', { path: 'shared/again', size_bytes: size })).status).toBe(201);
  });

  it('lets the last of racing uploads win, and keeps the others in the trash', async () => {
    const { ask: here } = await alone('racing');
    const texts = ['one', 'two', 'six'];
    const uploads = await Promise.all(
      texts.map(async (text) => {
        const begun = await here('POST', '/uploads', { path: 'shared/same', size_bytes: 3 });
        await sendParts(world, here, begun.body, Buffer.from(text));
        return begun.body.id as string;
      }),
    );
    const done = await Promise.all(uploads.map((id) => here('POST', `/uploads/${id}/finish`, {})));
    expect(done.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(texts).toContain(await fetchFile(world, here, q('shared/same')));
    const trash = await here('GET', '/trash');
    expect(trash.body.data).toHaveLength(2);
    expect((await here('GET', '')).body).toMatchObject({ stored_bytes: 9, reserved_bytes: 0 });
    const refused = await here('POST', '/uploads', { path: 'shared/same', size_bytes: 3, replace: false });
    expect(refused.body.code).toBe('storage_path_occupied');
  });

  it('moves files and folders, copies without bytes, and never makes one path two things', async () => {
    const { ask: here } = await alone('moving');
    await store(world, here, 'shared/a/b/one', Buffer.from('1'));
    await store(world, here, 'shared/a/two', Buffer.from('22'));
    expect((await here('POST', '/moves', { from: 'shared/a/', to: 'shared/z/y/' })).status).toBe(200);
    expect(await fetchFile(world, here, q('shared/z/y/b/one'))).toBe('1');
    expect((await here('GET', `/object?${q('shared/a/two')}`)).status).toBe(404);
    const inside = await here('POST', '/moves', { from: 'shared/z/', to: 'shared/z/y/z/' });
    expect(inside.body.code).toBe('storage_path_invalid');
    expect((await here('POST', '/copies', { from: 'shared/z/y/two', to: 'artifacts/two' })).status).toBe(201);
    expect((await here('GET', '')).body.stored_bytes).toBe(5);
    expect((await here('POST', '/moves', { from: 'shared/z/y/two', to: 'shared/z/y/b' })).body.code).toBe(
      'storage_path_occupied',
    );
    expect((await here('POST', '/uploads', { path: 'shared/z/y/two/x', size_bytes: 0 })).status).toBe(201);
    await expect(store(world, here, 'shared/z/y/two/x', Buffer.from('x'))).rejects.toThrow('storage_path_occupied');
    expect((await here('POST', '/folders', { path: 'artifacts/two/' })).body.code).toBe('storage_path_occupied');
  });

  it('opens a namespace to a person of another project by a grant alone, until it is revoked', async () => {
    const other = await project('elsewhere');
    const token = await world.join('reader', tenant, 'member');
    const reader = asking(world, token, other);
    await store(world, ask, 'datasets/open/x', Buffer.from('data'));
    await store(world, ask, 'datasets/closed/x', Buffer.from('data'));
    const from = `&owner_project_id=${tenant.projectId}`;
    expect(await fetchFile(world, reader, q('datasets/open/x', from))).toBe('404 storage_object_not_found');
    const grantee = { grantee_kind: 'user', grantee_id: await userOf('reader') };
    const grant = await ask('POST', '/grants', { path: 'datasets/open/', ...grantee, level: 'read' });
    expect(grant.status).toBe(201);
    expect(await fetchFile(world, reader, q('datasets/open/x', from))).toBe('data');
    expect(await fetchFile(world, reader, q('datasets/closed/x', from))).toBe('404 storage_object_not_found');
    const write = await reader('POST', '/uploads', {
      path: 'datasets/open/y',
      size_bytes: 1,
      owner_project_id: tenant.projectId,
    });
    expect(write.body.code).toBe('storage_access_denied');
    for (const [who, side] of [
      [ask, 'given'],
      [reader, 'received'],
    ] as const) {
      const { data } = (await who('GET', `/grants?side=${side}`)).body;
      expect(data.map(({ id }: { id: string }) => id)).toContain(grant.body.id);
    }
    expect((await ask('DELETE', `/grants/${grant.body.id}`)).status).toBe(200);
    expect(await fetchFile(world, reader, q('datasets/open/x', from))).toBe('404 storage_object_not_found');
  });

  it('lets another project write by a grant, and stops its upload when the grant is revoked', async () => {
    const other = await project('writers');
    const writer = asking(world, await world.join('writer', tenant, 'member'), other);
    const grant = await ask('POST', '/grants', {
      ...{ path: 'datasets/joint/', grantee_kind: 'project', grantee_id: other, level: 'write' },
    });
    const body = { path: 'datasets/joint/x', size_bytes: 3, owner_project_id: tenant.projectId };
    const begun = await writer('POST', '/uploads', body);
    await sendParts(world, writer, begun.body, Buffer.from('abc'));
    expect((await writer('POST', `/uploads/${begun.body.id}/finish`, {})).status).toBe(201);
    expect(await fetchFile(world, ask, q('datasets/joint/x'))).toBe('abc');
    const second = await writer('POST', '/uploads', { ...body, path: 'datasets/joint/y' });
    await sendParts(world, writer, second.body, Buffer.from('abc'));
    await ask('DELETE', `/grants/${grant.body.id}`);
    expect((await writer('POST', `/uploads/${second.body.id}/finish`, {})).status).toBe(404);
    expect((await ask('GET', `/object?${q('datasets/joint/y')}`)).status).toBe(404);
  });

  it('says what is in the way: folders, many entries, readers, and grants that are there or are not', async () => {
    const { ask: here, projectId } = await alone('in-the-way');
    for (const name of ['1', '2', '3', '4', '5', '6'])
      await store(world, here, `shared/many/${name}`, Buffer.from(name));
    expect((await here('GET', `/download?${q('shared/many')}`)).body.code).toBe('storage_is_folder');
    expect((await here('POST', '/copies', { from: 'shared/many', to: 'shared/x' })).body.code).toBe(
      'storage_is_folder',
    );
    const whole = await here('DELETE', `/object?${q('shared/many', '&recursive=true')}`);
    expect(whole.body.code).toBe('storage_too_many_entries');
    expect((await here('POST', '/moves', { from: 'shared/many', to: 'shared/x' })).body.code).toBe(
      'storage_too_many_entries',
    );
    const member = asking(world, await world.join('in-the-way', tenant, 'member'), projectId);
    const grantee_id = await userOf('in-the-way');
    const grant = { path: 'artifacts/', grantee_kind: 'user', grantee_id, level: 'manage' };
    expect((await member('POST', '/grants', grant)).body.code).toBe('storage_access_denied');
    const made = await here('POST', '/grants', grant);
    expect((await here('POST', '/grants', grant)).body.code).toBe('storage_grant_exists');
    const second = { ...grant, grantee_kind: 'project', grantee_id: tenant.projectId };
    expect((await member('POST', '/grants', second)).status).toBe(201);
    expect((await here('POST', '/grants', { ...grant, grantee_id: await userOf('storing-owner') })).body.code).toBe(
      'storage_limit_reached',
    );
    expect((await here('DELETE', `/grants/${made.body.id}`)).status).toBe(200);
    expect((await here('DELETE', `/grants/${made.body.id}`)).body.code).toBe('storage_grant_not_found');
    const begun = await here('POST', '/uploads', { path: 'shared/open', size_bytes: 1 });
    expect((await ask('GET', `/uploads/${begun.body.id}`)).body.code).toBe('storage_upload_not_found');
  });

  it('keeps the files of a person from other members, and grants from other organizations', async () => {
    const one = await world.join('one', tenant, 'member');
    const two = await world.join('two', tenant, 'member');
    const mine = `users/${await userOf('one')}/notes`;
    await store(world, asking(world, one, tenant.projectId), mine, Buffer.from('mine'));
    expect(await fetchFile(world, asking(world, two, tenant.projectId), q(mine))).toBe('404 storage_object_not_found');
    expect(await fetchFile(world, ask, q(mine))).toBe('mine');
    const names = await asking(world, two, tenant.projectId)('GET', '/namespaces');
    expect(names.body.data.filter(({ kind }: { kind: string }) => kind === 'users')).toEqual([]);
    const stranger = await world.found('stranger');
    const grant = { path: 'shared/', grantee_kind: 'project', grantee_id: stranger.projectId, level: 'read' };
    expect((await ask('POST', '/grants', grant)).body.code).toBe('storage_grantee_not_found');
    const from = `&owner_project_id=${tenant.projectId}`;
    const there = asking(world, stranger.token, stranger.projectId);
    expect(await fetchFile(world, there, q('shared/large', from))).toBe('404 storage_object_not_found');
  });

  it.each([
    'shared/../x',
    'shared/%2e%2e/x',
    '/shared/x',
    'shared/\u202ex',
    'shared/x.',
    'shared/\uff0e\uff0e/x',
    'other/x',
    `shared/${'x'.repeat(300)}`,
  ])('has no place at %j', async (path) => {
    for (const [method, where, body] of [
      ['POST', '/uploads', { path, size_bytes: 1 }],
      ['POST', '/folders', { path }],
      ['POST', '/moves', { from: 'shared/large', to: path }],
      ['GET', `/object?${q(path)}`, undefined],
    ] as const) {
      expect((await ask(method, where, body)).body.code).toBe('storage_path_invalid');
    }
  });

  it('reads as many rows for a page in the middle of 20,000 files as for the first one', async () => {
    const { projectId, ask: here } = await alone('many');
    await store(world, here, 'shared/seed/file', Buffer.from('x'));
    const {
      rows: [seed],
    } = await world.root.query('select * from storage_objects where project_id = $1 and not is_folder', [projectId]);
    await world.root.query('alter table storage_objects disable trigger user');
    await world.root.query(
      `insert into storage_objects (id, organization_id, project_id, namespace_id, folder, name, is_folder, size_bytes, part_bytes,
         content_type, checksum, blob_id, created_by, created_at, updated_at)
       select gen_random_uuid(), $1, $2, $3, 'deep/', 'f' || lpad(n::text, 7, '0'), false, 0, 1, '', '', $4, 'x', now(), now()
       from generate_series(1, 20000) n`,
      [seed.organization_id, projectId, seed.namespace_id, seed.blob_id],
    );
    await world.root.query('alter table storage_objects enable trigger user');
    await world.root.query('analyze storage_objects');
    const rowsRead = async (after: string): Promise<number> => {
      const { rows } = await world.root.query(
        `explain (analyze, format json, costs off, timing off) select * from storage_objects o
         where o.namespace_id = $1 and o.folder = $2 and o.deleted_at is null and o.name > $3 order by o.name limit 51`,
        [seed.namespace_id, 'deep/', after],
      );
      const read = (node: Record<string, never>): number =>
        Number(node['Actual Rows']) +
        Number(node['Rows Removed by Filter'] ?? 0) +
        ((node['Plans'] ?? []) as Record<string, never>[]).reduce((sum, each) => sum + read(each), 0);
      return read(rows[0]['QUERY PLAN'][0].Plan);
    };
    const [first, middle, last] = [await rowsRead(''), await rowsRead('f0010000'), await rowsRead('f0019900')];
    expect([middle, last]).toEqual([first, first]);
    expect(first).toBeLessThanOrEqual(102);
    const page = await here('GET', `/objects?${q('shared/deep/')}&limit=50`);
    expect(page.status).toBe(404);
    await here('POST', '/folders', { path: 'shared/deep/' });
    const one = await here('GET', `/objects?${q('shared/deep/')}&limit=50`);
    const two = await here('GET', `/objects?${q('shared/deep/')}&limit=50&cursor=${one.body.next_cursor}`);
    expect(two.body.data[0].name).toBe('f0000051');
  });

  it('ends a grant at its time, and an upload of a person who may only read by now', async () => {
    const other = await project('for-a-while');
    const token = await world.join('passing', tenant, 'member');
    let guest = asking(world, token, other);
    let here = ask;
    await store(world, here, 'datasets/lent/x', Buffer.from('data'));
    const about = { path: 'datasets/lent/', grantee_kind: 'project', grantee_id: other };
    const of = { owner_project_id: tenant.projectId };
    const give = async (level: string, minutes: number) => {
      const expires_at = new Date(clock.now().getTime() + minutes * 60_000).toISOString();
      const given = await here('POST', '/grants', { ...about, level, expires_at });
      expect(given.status, given.text).toBe(201);
      return given.body.id as string;
    };
    const writing = await give('write', 60);
    const begun = await guest('POST', '/uploads', { path: 'datasets/lent/y', size_bytes: 3, ...of });
    await sendParts(world, guest, begun.body, Buffer.from('abc'));
    expect((await here('DELETE', `/grants/${writing}`)).status).toBe(200);
    await give('read', 60);
    for (const [method, path] of [
      ['POST', `/uploads/${begun.body.id}/finish`],
      ['DELETE', `/uploads/${begun.body.id}`],
      ['GET', `/uploads/${begun.body.id}/part?number=1&sha256=${'0'.repeat(64)}`],
    ] as const) {
      const refused = await guest(method, path, method === 'POST' ? {} : undefined);
      expect([path, refused.status, refused.body.code]).toEqual([path, 403, 'storage_access_denied']);
    }
    const query = q('datasets/lent/x', `&owner_project_id=${tenant.projectId}`);
    expect(await fetchFile(world, guest, query)).toBe('data');
    await clock.advance(3_601_000);
    guest = asking(world, await world.token('passing'), other);
    here = asking(world, await world.token(tenant.subject), tenant.projectId);
    expect(await fetchFile(world, guest, query)).toBe('404 storage_object_not_found');
    expect((await guest('GET', '/grants?side=received')).body.data).toEqual([]);
    // What is over makes room for the next one.
    await give('read', 60);
    expect(await fetchFile(world, guest, query)).toBe('data');
  });

  it('counts a copy as what it is copied from', async () => {
    const projectId = await project('copying', await world.token(tenant.subject));
    const here = asking(world, await world.token(tenant.subject), projectId);
    await store(world, here, 'shared/one', Buffer.from('one'));
    const rest = 1_024 ** 3 - 5;
    expect((await here('POST', '/uploads', { path: 'shared/rest', size_bytes: rest })).status).toBe(201);
    const copied = await here('POST', '/copies', { from: 'shared/one', to: 'shared/two' });
    expect([copied.status, copied.body.code]).toEqual([409, 'storage_quota_exceeded']);
    expect((await here('GET', '')).body).toMatchObject({ stored_bytes: 3, reserved_bytes: rest });
  });

  it('of a project that is removed, or about to be, takes nothing more, whatever was granted', async () => {
    const { ask: here, projectId } = await alone('leaving');
    const writer = asking(world, await world.join('heir', tenant, 'member'), tenant.projectId);
    const grantee = { grantee_kind: 'project', grantee_id: tenant.projectId, level: 'write' };
    await store(world, here, 'datasets/left/empty', Buffer.alloc(0));
    expect((await here('POST', '/grants', { path: 'datasets/left/', ...grantee })).status).toBe(201);
    const of = { owner_project_id: projectId };
    const begun = await writer('POST', '/uploads', { path: 'datasets/left/open', size_bytes: 0, ...of });
    expect(begun.status).toBe(201);
    const codes = async () => {
      const asked = [
        writer('POST', '/uploads', { path: 'datasets/left/x', size_bytes: 3, ...of }),
        writer('POST', '/folders', { path: 'datasets/left/y/', ...of }),
        writer('POST', '/copies', { from: 'datasets/left/empty', to: 'datasets/left/z', ...of }),
      ];
      return (await Promise.all(asked)).map(({ body }) => body.code);
    };
    const become = (state: string) =>
      asSystem(world.root, 'update projects set state = $2, version = version + 1 where id = $1', [projectId, state]);
    await become('removing');
    expect(await codes()).toEqual(Array(3).fill('storage_object_not_found'));
    expect((await here('POST', '/namespaces', { kind: 'shared' })).body.code).toBe('storage_object_not_found');
    await become('deleted');
    expect(await codes()).toEqual(Array(3).fill('storage_object_not_found'));
    const path = q('datasets/left/empty', `&owner_project_id=${projectId}`);
    expect((await writer('GET', `/object?${path}`)).status).toBe(404);
    expect((await writer('GET', `/uploads/${begun.body.id}`)).status).toBe(404);
    expect((await writer('POST', `/uploads/${begun.body.id}/finish`, {})).status).toBe(404);
    const received = (await writer('GET', '/grants?side=received')).body.data as { path: string }[];
    expect(received.map((grant) => grant.path)).not.toContain('datasets/left/');
  });

  it('deletes to the trash, restores from there, and removes bytes only when nothing uses them', async () => {
    const { ask: first, projectId } = await alone('trash');
    let here = first;
    await store(world, here, 'shared/f/one', Buffer.from('1'));
    await store(world, here, 'shared/f/two', Buffer.from('2'));
    await here('POST', '/copies', { from: 'shared/f/one', to: 'shared/copy' });
    expect((await here('DELETE', `/object?${q('shared/f/')}`)).body.code).toBe('storage_folder_not_empty');
    const gone = await here('DELETE', `/object?${q('shared/f/', '&recursive=true')}`);
    expect(gone.body).toMatchObject({ entries: 3, size_bytes: 2 });
    const { data } = (await here('GET', '/trash')).body;
    expect(data.map(({ path }: { path: string }) => path).sort()).toEqual(['shared/f/one', 'shared/f/two']);
    const two = data.find(({ name }: { name: string }) => name === 'two');
    expect((await here('POST', `/trash/${two.id}/restore`)).status).toBe(200);
    expect(await fetchFile(world, here, q('shared/f/two'))).toBe('2');
    await clock.advance(8 * 86_400_000);
    here = asking(world, await world.token(tenant.subject), projectId);
    const idle = new AbortController().signal;
    await world.storageUpkeep.round(idle);
    expect((await here('GET', '/trash')).body.data).toEqual([]);
    expect((await here('GET', '')).body.stored_bytes).toBe(2);
    await clock.advance(3_600_000);
    await world.storageUpkeep.round(idle);
    // The copy still uses the bytes of the file that is gone.
    expect(await fetchFile(world, here, q('shared/copy'))).toBe('1');
    const blobs = await world.root.query('select uses from storage_blobs where project_id = $1', [projectId]);
    expect(blobs.rows).toEqual([{ uses: 1 }, { uses: 1 }]);
  });

  it('gives up an upload whose time is over, and frees what it had reserved', async () => {
    const token = await world.token(tenant.subject);
    const projectId = await project('expiring', token);
    let here = asking(world, token, projectId);
    const begun = await here('POST', '/uploads', { path: 'shared/late', size_bytes: 3 });
    await sendParts(world, here, begun.body, Buffer.from('abc'));
    await clock.advance(25 * 3_600_000);
    here = asking(world, await world.token(tenant.subject), projectId);
    expect((await here('POST', `/uploads/${begun.body.id}/finish`, {})).status).toBe(404);
    const signal = new AbortController().signal;
    await world.storageUpkeep.round(signal);
    expect((await here('GET', '')).body).toMatchObject({ stored_bytes: 0, reserved_bytes: 0 });
    await clock.advance(3_600_000);
    await world.storageUpkeep.round(signal);
    const left = await world.root.query('select id from storage_blobs where project_id = $1', [projectId]);
    expect(left.rows).toEqual([]);
  });
});
