import { describe, expect, it } from 'vitest';
import { makeTree } from '../lib/tree.ts';
import { untabled } from './adapter-table.ts';

describe('the table of adapters', () => {
  const suite = (title: string) =>
    makeTree({
      'server/src/ports/bus/conformance.ts': `it(${title}, () => {});`,
      'server/src/ports/bus/port.ts': `it('x')`,
    });
  const table = ['embedded bus postgres: keeps order: ok', "embedded bus postgres: a wait > isn't lost: not supported"];

  it('has each case of each suite', () => {
    expect(untabled(suite(`'keeps order'`), table)).toEqual([]);
    expect(untabled(suite(String.raw`'isn\'t lost'`), table)).toEqual([]);
  });

  it('lacks a case that was added to a suite, and the gate names it', () => {
    expect(untabled(suite(`'keeps all'`), table)).toEqual([
      'server/src/ports/bus/conformance.ts: no line of server/src/ports/conformance.txt has the case "keeps all"',
    ]);
  });
});
