import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveBaseline } from './contract/baseline.ts';
import { bringUpToDate, findStale } from './files.ts';
import { emitAll } from './outputs.ts';
import { smallContract } from './testing.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'emit-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('emitted files', () => {
  const wanted = new Map([
    ['api/list.txt', 'one\n'],
    ['api/machines/egg.md', '# egg\n'],
  ]);
  const folders = ['api/machines'];

  it('are written, and a second run has nothing to do', () => {
    expect(bringUpToDate(root, wanted, folders)).toHaveLength(2);
    expect(readFileSync(join(root, 'api/list.txt'), 'utf8')).toBe('one\n');
    expect(bringUpToDate(root, wanted, folders)).toEqual([]);
    expect(readdirSync(join(root, 'api'))).toEqual(['list.txt', 'machines']);
  });

  it('are named when they are missing, differ or are left over, and only leftovers of owned folders go', () => {
    bringUpToDate(root, wanted, folders);
    writeFileSync(join(root, 'api/list.txt'), 'two\n');
    writeFileSync(join(root, 'api/machines/dodo.md'), '# dodo\n');
    writeFileSync(join(root, 'api/notes.txt'), 'mine\n');
    rmSync(join(root, 'api/machines/egg.md'));
    const stale = [
      { path: 'api/list.txt', what: 'differs' },
      { path: 'api/machines/egg.md', what: 'missing' },
      { path: 'api/machines/dodo.md', what: 'left over' },
    ];
    expect(findStale(root, wanted, folders)).toEqual(stale);
    expect(bringUpToDate(root, wanted, folders)).toEqual(stale);
    expect(readdirSync(join(root, 'api/machines'))).toEqual(['egg.md']);
    expect(readFileSync(join(root, 'api/notes.txt'), 'utf8')).toBe('mine\n');
  });

  it('come out of a contract the same twice', () => {
    expect([...emitAll(smallContract())]).toEqual([...emitAll(smallContract())]);
    expect([...emitAll(smallContract()).keys()]).toContain('api/machines/egg.md');
  });
});

describe('the baseline', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  const commit = () => {
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.test', 'commit', '-qm', 'all');
  };
  beforeEach(() => {
    git('init', '-q');
    mkdirSync(join(root, 'api'));
    for (const name of ['openapi', 'asyncapi', 'node-protocol']) writeFileSync(join(root, `api/${name}.json`), '{}\n');
  });
  const nothingStale = () => [];

  it('does not move while the tree is dirty', () => {
    expect(moveBaseline(root, nothingStale)).toEqual({ refused: expect.stringContaining('api/openapi.json') });
    expect(readdirSync(join(root, 'api'))).not.toContain('baseline');
  });

  it('does not move while emitted files are stale', () => {
    commit();
    expect(moveBaseline(root, () => ['api/routes.txt'])).toEqual({
      refused: expect.stringContaining('api/routes.txt'),
    });
    expect(readdirSync(join(root, 'api'))).not.toContain('baseline');
  });

  it('moves from a clean tree, and says which promises are new', () => {
    commit();
    expect(moveBaseline(root, nothingStale)).toEqual({
      moved: ['openapi.json', 'asyncapi.json', 'node-protocol.json'],
    });
    commit();
    writeFileSync(join(root, 'api/openapi.json'), '{"a":1}\n');
    commit();
    expect(moveBaseline(root, nothingStale)).toEqual({ moved: ['openapi.json'] });
    expect(readFileSync(join(root, 'api/baseline/openapi.json'), 'utf8')).toBe('{"a":1}\n');
  });
});
