import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardsIn, incidentsOf } from '../../emit/exists/incidents.ts';
import { repository, root } from '../../lib/tree.ts';

/**
 * The pages of what exists are emitted from lists of the product. These checks compare them with the tree instead: with programs, rows,
 * handlers and files that are written by hand, so that a list that forgets one is noticed.
 */
const tree = repository();
const page = (name: string) => tree.text(`docs/exists/${name}.md`);
const headingsOf = (text: string) => [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
/** The names in the first cells of the rows, as code. */
const rowsOf = (text: string) => [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);

describe('the pages of what exists', () => {
  it('have each process that the tree can start, and no other', () => {
    const bin = join(root, 'server/src/bin');
    const programs = readdirSync(bin).filter((name) => tree.has(`server/src/bin/${name}/process.ts`));
    expect(new Set(headingsOf(page('processes')))).toEqual(new Set(programs));
    expect(programs.filter((name) => !tree.has(`server/src/bin/${name}/main.ts`))).toEqual([]);
  });

  it('have each SKU of the catalog that comes with the product, and no other', () => {
    const source = tree.text('contract/src/default-catalog.ts');
    const skus = [...source.matchAll(/(?:^ {4}sku: |wholeNode\(\s*)'([^']+)'/gm)].map(([, sku = '']) => sku);
    const [sold = ''] = page('capacity').split('## Machines of slices');
    expect(rowsOf(sold)).toEqual(skus);
    expect(skus.length).toBeGreaterThan(5);
  });

  it('have each task that an agent handles, and no other', () => {
    const handled = tree.paths
      .filter((path) => path.startsWith('agent/src/tasks/handlers/') && !path.endsWith('.test.ts'))
      .flatMap((path) => [...tree.text(path).matchAll(/^ {4}'([a-z]+\.[a-z_]+)': \{/gm)].map(([, type = '']) => type));
    expect(rowsOf(page('tasks')).toSorted()).toEqual(handled.toSorted());
    expect(handled.length).toBeGreaterThan(15);
  });

  it('have each runbook that is a file, and no other', () => {
    const files = tree.paths.flatMap((path) => /^docs\/(runbooks\/(?!README)[^/]+\.md)$/.exec(path)?.[1] ?? []);
    const shown = [...page('runbooks').matchAll(/^\| \[[^\]]+\]\(\.\.\/(runbooks\/[^)]+)\)/gm)].map(([, file]) => file);
    expect(new Set(shown)).toEqual(new Set(files));
    expect(shown.length).toBe(files.length);
  });

  it('have each table of the schema once, below the domain that owns it', () => {
    const tables = [...tree.text('db/schema.sql').matchAll(/^create table ([a-z_]+) \($/gm)].map(
      ([, name = '']) => name,
    );
    expect(rowsOf(page('domains')).toSorted()).toEqual(tables.toSorted());
    expect(tables.length).toBeGreaterThan(100);
  });

  it('have each domain that is a folder', () => {
    const folders = readdirSync(join(root, 'server/src/domains'));
    const shown = [...page('domains').matchAll(/\(\.\.\/\.\.\/server\/src\/domains\/([^/]+)\/README\.md\)/g)];
    expect(shown.map(([, name]) => name)).toEqual(folders.toSorted());
  });

  it('have each state machine, with a page that draws it', () => {
    const files = readdirSync(join(root, 'api/machines'));
    const shown = [...page('contract').matchAll(/\(\.\.\/\.\.\/api\/machines\/([^)]+)\)/g)].map(
      ([, file = '']) => file,
    );
    expect(shown).toEqual(files.toSorted());
    expect(files.filter((file) => !tree.text(`api/machines/${file}`).includes('```mermaid\nstateDiagram-v2'))).toEqual(
      [],
    );
  });

  it('say of each table that only grows that the database refuses its change', () => {
    const guarded = [
      ...tree.text('db/schema.sql').matchAll(/guard_append_only BEFORE DELETE OR UPDATE ON public\.([a-z_]+) /g),
    ];
    const shown = [...page('domains').matchAll(/^\| `([a-z_]+)` \| \d+ \| \*\*only grows\*\*/gm)].map(
      ([, name = '']) => name,
    );
    expect(shown.toSorted()).toEqual(guarded.map(([, name = '']) => name).toSorted());
  });
});

describe('a page about an incident', () => {
  const pages = incidentsOf(tree);

  it.each(pages)('%s has its parts, and says whom it happened to', (path) => {
    const text = tree.text(path);
    expect(headingsOf(text)).toEqual(['What happened', 'What makes it impossible here', 'What is left']);
    expect(text).toMatch(/^---\nhappened: .+\nrule: .+\n---\n/);
  });

  it.each(pages)('%s names tests that are there', (path) => {
    const guards = guardsIn(path, tree.text(path));
    expect(guards.length).toBeGreaterThan(2);
    expect(guards.filter(({ file, title }) => !tree.has(file) || !tree.text(file).includes(title))).toEqual([]);
  });
});
