import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDisk } from './disk.ts';

describe.each([true, false])('the disk (forced: %s)', (forced) => {
  let folder: string;
  const disk = makeDisk({ forced });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-disk-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('writes whole files that only their owner can read', async () => {
    const path = join(folder, 'deep', 'file.json');
    await disk.write(path, 'one');
    await disk.write(path, 'two');
    expect(await disk.read(path)).toBe('two');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'deep'))).toEqual(['file.json']);
    await disk.remove(path);
    expect(await disk.read(path)).toBeUndefined();
  });

  it('never shows half a file, whoever writes at the same time', async () => {
    const path = join(folder, 'file.json');
    const texts = Array.from({ length: 20 }, (_, number) => String(number).repeat(50_000));
    await Promise.all(texts.map((text) => disk.write(path, text)));
    expect(texts).toContain(await disk.read(path));
  });

  it('does not list the halves of interrupted writes, and sweeps them only when asked', async () => {
    await writeFile(join(folder, 'a.json.7.half'), 'ha');
    await writeFile(join(folder, 'b.json'), '{}');
    expect(await disk.list(folder)).toEqual(['b.json']);
    expect((await readdir(folder)).length).toBe(2);
    await disk.sweep(folder);
    expect(await readdir(folder)).toEqual(['b.json']);
    expect(await disk.list(join(folder, 'nowhere'))).toEqual([]);
  });
});
