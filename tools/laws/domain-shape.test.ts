import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listLines, makeTree, repository, root } from '../lib/tree.ts';
import { departuresIn, domainShape } from './domain-shape.ts';
import { showFindings } from './law.ts';

const excused = listLines(readFileSync(join(root, 'tools/laws/exceptions/domain-shape.txt'), 'utf8'));
const home = 'server/src/domains/a';
const readme = { [`${home}/README.md`]: '# A\n\n**Tables**: `as`.\n' };

describe('the shape of a domain', () => {
  it('is kept by every domain, except where the list says otherwise', () => {
    expect(showFindings(domainShape(excused).find(repository()))).toEqual([]);
  });

  it('has no exception that is not needed', () => {
    const needed = new Set(departuresIn(repository()).map(({ line }) => line));
    expect(excused.filter((line) => !needed.has(line))).toEqual([]);
  });

  it('is silent on a domain that has it', () => {
    const kept = {
      ...readme,
      [`${home}/index.ts`]: "export { x } from './store.ts';\n",
      [`${home}/store.ts`]: "const a = sql('a', 'select 1');\n",
      [`${home}/parts/part-store.ts`]: "const b = sql('b', 'select 1');\n",
      [`${home}/routes.ts`]: 'const on = handlers<Parts>();\n',
      [`${home}/parts/part-routes.ts`]: 'const on = handlers<Parts>();\n',
      [`${home}/on-events.ts`]: 'export const all = [listener({})];\n',
      [`${home}/sagas/remove.ts`]: "export const s = defineSaga('a.remove', 1);\n",
      [`${home}/anything.test.ts`]: "const t = sql('t', 'select 1');\n",
    };
    expect(domainShape([]).find(makeTree(kept))).toEqual([]);
  });

  it.each([
    ['statements lie in store.ts', 'look.ts', "const a = sql('a', 'select 1');\n"],
    ['handlers lie in routes.ts', 'index.ts', 'const on = handlers<Parts>();\n'],
    ['stands in on-events.ts', 'parts/on-events.ts', 'export const all = [listener({})];\n'],
    ['sagas lie in the folder', 'remove.ts', "export const s = defineSaga('a.remove', 1);\n"],
    ['which tables are its own', 'README.md', '# A\n'],
  ])('reports "%s"', (words, path, text) => {
    const tree = makeTree({ ...readme, [`${home}/${path}`]: text });
    expect(showFindings(domainShape([]).find(tree)).join('\n')).toContain(words);
    const [line = ''] = departuresIn(tree).map((each) => each.line);
    expect(domainShape([line]).find(tree)).toEqual([]);
  });
});
