import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { events } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { listLines, makeTree, repository, root } from '../../lib/tree.ts';
import { showFindings } from '../law.ts';
import { eventsHaveBothEnds } from './event-ends.ts';

const excused = listLines(readFileSync(join(root, 'tools/laws/exceptions/events-without-producer.txt'), 'utf8')).map(
  (line) => line.split(' ')[0] ?? '',
);
const declare = (consumers: string) => ({
  'contract/src/events/a.ts': `export const lampLit = defineEvent({ type: 'lamp.lit', consumers: ${consumers} });`,
});
const importing = "import { lampLit } from '@gpuaas/contract';\n";
const making = { 'server/src/domains/a/light.ts': `${importing}commit(lampLit.of('k', {}));` };
const hearing = { 'server/src/bin/a/listeners.ts': `${importing}listener({ event: lampLit, action: 'a' });` };
const none = "{ none: 'a reason' }";
const look = (files: Readonly<Record<string, string>>, list: readonly string[] = []) =>
  showFindings(eventsHaveBothEnds(list).find(makeTree(files))).join('\n');

describe('events of the contract', () => {
  it('are made by the product, and heard by those whom the contract names', () => {
    expect(showFindings(eventsHaveBothEnds(excused).find(repository()))).toEqual([]);
  });

  it('that no list excuses for nothing: each excused one is in the contract', () => {
    expect(excused.filter((type) => !events.some((kind) => kind.type === type))).toEqual([]);
  });
});

describe('the law about both ends', () => {
  it('is silent where both ends are there, and where the contract says why there is one', () => {
    expect(look({ ...declare("['a']"), ...making, ...hearing })).toBe('');
    expect(look({ ...declare(none), ...making })).toBe('');
    expect(look({ ...declare("['a']"), ...hearing }, ['lamp.lit'])).toBe('');
  });

  it.each([
    ['is made by nothing', { ...declare(none) }],
    ['is made by nothing', { ...declare("['a']"), ...hearing }],
    ['is made by nothing', { ...declare(none), 'server/src/domains/a/light.ts': importing }],
    ['is made by nothing', { ...declare(none), 'server/src/domains/a/light.test.ts': `${importing}lampLit.of('k')` }],
    ['no listener has it', { ...declare("['a']"), ...making }],
    ['says that it has none', { ...declare(none), ...making, ...hearing }],
  ])('reports "%s"', (words, files) => {
    expect(look(files)).toContain(words);
  });

  it('reports an excuse that is needed no more', () => {
    expect(look({ ...declare(none), ...making }, ['lamp.lit'])).toContain('take it off the list');
  });
});
