import { describe, expect, it } from 'vitest';
import { blindRules, judgeFindings, readFindings, readPaths, rulesIn } from '../security.ts';
import { canaries } from './canaries.ts';

const finding = {
  rule: 'gpuaas/guessable',
  path: 'server/src/a.ts',
  line: 3,
  message: 'Math.random can be predicted.',
};

describe('static security analysis', () => {
  it('reports a line that breaks it, for each rule', async () => {
    expect(await blindRules()).toEqual([]);
  });

  it('has a line that breaks it for every rule, and none for a rule that is gone', () => {
    const rules = rulesIn('{"rules":{"no-eval":"error","gpuaas/guessable":"error"}}');
    expect(rules).toEqual(['eslint/no-eval', 'gpuaas/guessable']);
    expect(Object.keys(canaries)).toEqual(expect.arrayContaining(rules));
  });

  it('names file, line and rule of what no line excuses', () => {
    expect(judgeFindings([finding], new Map())).toEqual([
      'server/src/a.ts:3: Math.random can be predicted. (gpuaas/guessable)',
    ]);
    expect(judgeFindings([finding], new Map([['gpuaas/guessable server/src/a.ts', 'a jitter']]))).toEqual([]);
  });

  it('names a line that excuses nothing', () => {
    expect(judgeFindings([], new Map([['gpuaas/guessable server/src/a.ts', 'a jitter']]))).toEqual([
      expect.stringContaining('is not found any more'),
    ]);
  });

  it('fails when the program answers with no report', () => {
    expect(() => readFindings('Failed to load a plugin')).toThrow('did not answer with a report');
  });

  it('reads the code of the product and not its tests', () => {
    const paths = ['server/src/a.ts', 'web/src/page.tsx', 'sdk/typescript/src/b.ts'];
    const others = [
      'server/src/a.test.ts',
      'agent/src/testing/x.ts',
      'server/src/ports/bus/conformance.ts',
      'tools/x.ts',
    ];
    expect(readPaths([...paths, ...others])).toEqual(paths);
  });
});
