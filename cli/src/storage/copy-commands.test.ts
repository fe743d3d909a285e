import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rehearse } from '../testing.ts';
import { makeChecksum } from './download.ts';

const project = '01935a2c-0000-7000-8000-000000000001';
const uploadId = '01935a2c-0000-7000-8000-000000000002';
const env = { GPUAAS_PROJECT: project };
const shaOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const address = (method: 'GET' | 'PUT') => ({
  ...{
    method,
    url: 'http://127.0.0.1:1/transfers?t=x',
    headers: {},
    size_bytes: 3,
    expires_at: '2026-11-15T12:01:00Z',
  },
});
const object = {
  ...{ id: uploadId, path: 'shared/a', name: 'a', is_folder: false, size_bytes: 6, part_bytes: 4 },
  ...{
    checksum: `sha256-parts:${shaOf(Buffer.concat([createHash('sha256').update('abcd').digest(), createHash('sha256').update('ef').digest()]))}`,
  },
};
const upload = { id: uploadId, path: 'shared/a', size_bytes: 6, part_bytes: 4, part_count: 2, parts: [] };
const begin = 'POST /api/v1/storage/uploads';
const part = `GET /api/v1/storage/uploads/${uploadId}/part`;
const finish = `POST /api/v1/storage/uploads/${uploadId}/finish`;

describe('gpuaas cp and sync', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-cp-'));
    await writeFile(join(folder, 'a'), 'abcdef');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('sends a file in parts, and then the checksum of what it has read', async () => {
    const script = { [begin]: upload, [part]: address('PUT'), 'PUT /transfers': 'ok', [finish]: object };
    const ran = await rehearse(['cp', join(folder, 'a'), 'storage:shared/'], script, { env });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.asked.map(({ request }) => request.split('?')[0])).toEqual([
      ...[begin, part, 'PUT /transfers', part, 'PUT /transfers', finish],
    ]);
    expect(ran.asked[0]?.body).toEqual({ path: 'shared/a', size_bytes: 6 });
    expect(ran.asked.at(-1)?.body).toEqual({ checksum: object.checksum });
  });

  it('goes on with an upload and sends only the parts that are missing', async () => {
    const there = { ...upload, parts: [{ number: 1, size_bytes: 4, sha256: shaOf('abcd') }] };
    const found = `GET /api/v1/storage/uploads/${uploadId}`;
    const script = { [found]: there, [part]: address('PUT'), 'PUT /transfers': 'ok', [finish]: object };
    const ran = await rehearse(['cp', '--resume', uploadId, join(folder, 'a'), 'storage:shared/a'], script, { env });
    expect(ran.asked.map(({ request }) => request.split('?')[0])).toEqual([found, part, 'PUT /transfers', finish]);
    expect(ran.asked[1]?.request).toContain('number=2');
  });

  it('tries a part again at a new address, and then says how to go on', async () => {
    const refused = { refused: 503, body: {} };
    const script = {
      [begin]: upload,
      [part]: address('PUT'),
      'PUT /transfers': [refused, 'ok', refused],
      [finish]: object,
    };
    const ran = await rehearse(['cp', join(folder, 'a'), 'storage:shared/a'], script, { env });
    expect(ran.code).toBe(10);
    expect(ran.err).toContain(`--resume ${uploadId}`);
    expect(ran.asked.filter(({ request }) => request.startsWith('PUT'))).toHaveLength(6);
  });

  it('names a file only when its checksum is right', async () => {
    const get = 'GET /api/v1/storage/object';
    const script = { [get]: object, 'GET /api/v1/storage/download': address('GET'), 'GET /transfers': 'abcdef' };
    const ran = await rehearse(['cp', 'storage:shared/a', join(folder, 'copy')], script, { env });
    expect(ran.code, ran.err).toBe(0);
    expect(await readFile(join(folder, 'copy'), 'utf8')).toBe('abcdef');
    const wrong = { ...script, 'GET /transfers': 'abcdeX' };
    const other = await rehearse(['cp', 'storage:shared/a', join(folder, 'other')], wrong, { env });
    expect(other.code).toBe(1);
    await expect(readFile(join(folder, 'other'))).rejects.toThrow('ENOENT');
  });

  it('sends nothing that is there with the same checksum', async () => {
    const list = 'GET /api/v1/storage/objects';
    const script = { [list]: { data: [object], has_more: false, next_cursor: null } };
    await rm(join(folder, 'copy'), { force: true });
    await rm(join(folder, 'other.damaged'), { force: true });
    const ran = await rehearse(['sync', folder, 'storage:shared'], script, { env });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.asked.map(({ request }) => request.split('?')[0])).toEqual([list]);
  });

  it('computes one checksum however the bytes are cut', () => {
    const bytes = Buffer.from('abcdef');
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const checksum = makeChecksum(4);
      checksum.add(bytes.subarray(0, cut));
      checksum.add(bytes.subarray(cut));
      expect(checksum.end()).toBe(object.checksum);
    }
    expect(makeChecksum(4).end()).toBe(`sha256:${shaOf('')}`);
  });
});
