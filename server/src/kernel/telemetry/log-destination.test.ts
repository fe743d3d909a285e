import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeLog } from './log.ts';
import { openLogDestination } from './log-destination.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-log-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a log', () => {
  it('on a full disk keeps a bounded part, counts the rest, and tells it when there is space again', async () => {
    let written = '';
    let isFull = true;
    const destination = openLogDestination(undefined, (bytes) => {
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      // A few bytes at a time, as a pipe takes them.
      const part = bytes.subarray(0, 1_000);
      written += part.toString();
      return part.length;
    });
    for (let line = 0; line < 3_000; line += 1) destination.write(`${line} ${'x'.repeat(1_000)}\n`);
    const lost = destination.lost();
    expect(lost).toBeGreaterThan(1_500);
    destination.flush();
    isFull = false;
    await vi.waitFor(() => expect(written).toContain('are missing'), { timeout: 30_000 });
    const lines = written.trimEnd().split('\n');
    expect(lines).toHaveLength(3_000 - lost + 1);
    expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({ level: 'warn', lines: lost });
    destination.write('after\n');
    expect(written.endsWith('after\n')).toBe(true);
  });

  it('on a device that is really full ends nothing, and lets itself be flushed and closed', () => {
    const destination = openLogDestination('/dev/full');
    const log = makeLog('test', 'info', destination);
    for (let line = 0; line < 100; line += 1) log.info({ line }, 'to a full disk');
    destination.flush();
    destination.close();
  });

  it('can be flushed by a process that fails at once', async () => {
    const path = join(folder, 'early', 'gpuaas.log');
    const destination = openLogDestination(path);
    makeLog('test', 'info', destination).error({}, 'the real reason');
    destination.flush();
    expect(await readFile(path, 'utf8')).toContain('the real reason');
    destination.close();
  });

  it('that cannot be opened goes to standard output', async () => {
    const path = join(folder, 'a-file', 'gpuaas.log');
    await writeFile(join(folder, 'a-file'), '');
    const complain = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const destination = openLogDestination(path);
    expect(String(complain.mock.calls[0]?.[0])).toContain(`${path} cannot be written`);
    complain.mockRestore();
    destination.close();
  });
});
