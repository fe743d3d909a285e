import type { Tree } from '../lib/tree.ts';
import { isSource, isSourceOrPage, isTestCode } from '../lib/tree.ts';
import { type Finding, type Law, lineAt, type Node, parse, walk } from './law.ts';
import { importsOf } from './walls.ts';

/** Laws about where things lie and what lies beside them. */

const found = (law: string, path: string, message: string): Finding => ({ path, line: 1, law, message });

/** The folders directly under `parent`. */
const foldersIn = (tree: Tree, parent: string): string[] => [
  ...new Set(
    tree.paths
      .filter((path) => path.startsWith(`${parent}/`) && path.slice(parent.length + 1).includes('/'))
      .map((path) => `${parent}/${path.slice(parent.length + 1).split('/')[0]}`),
  ),
];
const filesIn = (tree: Tree, folder: string): string[] =>
  tree.paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));

export const domainsAreWhole: Law = {
  name: 'domains-are-whole',
  find: (tree) =>
    foldersIn(tree, 'server/src/domains').flatMap((folder) => {
      const files = filesIn(tree, folder);
      const lacks = ['README.md', 'index.ts'].filter((name) => !files.includes(name));
      if (!files.some((name) => name.endsWith('.test.ts'))) lacks.push('test');
      return lacks.map((name) => found('domains-are-whole', folder, `this domain has no ${name}`));
    }),
};

/** One port, two adapters, one suite: what runs in every test run, and what runs against the real server. */
export const portsAreWhole: Law = {
  name: 'ports-are-whole',
  find: (tree) =>
    foldersIn(tree, 'server/src/ports').flatMap((folder) => {
      const files = filesIn(tree, folder);
      const report = (message: string) => found('ports-are-whole', folder, message);
      const adaptersWith = (ending: string) =>
        files.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
      const tested = [
        { kind: 'embedded', adapters: adaptersWith('.conformance.test.ts') },
        { kind: 'production', adapters: adaptersWith('.production.test.ts') },
      ];
      return [
        ...['port.ts', 'conformance.ts', 'open.ts']
          .filter((name) => !files.includes(name))
          .map((name) => report(`this port has no ${name}`)),
        ...tested.flatMap(({ kind, adapters }) => [
          ...(adapters.length === 0 ? [report(`no ${kind} adapter of this port runs the suite`)] : []),
          ...adapters
            .filter((adapter) => !files.includes(`${adapter}.ts`))
            .map((adapter) => report(`${adapter} is tested, but there is no ${adapter}.ts`)),
        ]),
      ];
    }),
};

const rolesOfTools: Readonly<Record<string, string>> = {
  gates: 'a check that can fail a build',
  laws: 'tests over the tree',
  emit: 'a tool that writes files',
  dev: 'a tool for people',
  bench: 'a tool that measures',
  chaos: 'a tool that breaks things',
  lib: 'a library of the others',
};

/** Every script says by its folder what it is, and a gate that nobody runs is not a gate. */
export const toolsHaveRoles: Law = {
  name: 'tools-have-roles',
  find: (tree) => {
    const scripts = tree.paths.filter((path) => path.startsWith('tools/') && /\.(?:ts|mjs|js|sh|py)$/.test(path));
    const homeless = scripts.filter((path) => rolesOfTools[path.split('/')[1] ?? ''] === undefined);
    const runners = tree.paths.filter((path) => /^tools\/dev\/[^/]+\.ts$/.test(path));
    const run = new Set(runners.flatMap((path) => importsOf(tree, path)).map(({ to }) => to));
    const gates = tree.paths.filter((path) => /^tools\/gates\/[^/]+\.ts$/.test(path) && !path.endsWith('.test.ts'));
    return [
      ...homeless.map((path) =>
        found('tools-have-roles', path, `put it under ${Object.keys(rolesOfTools).join(', ')}`),
      ),
      ...gates
        .filter((path) => !run.has(path))
        .map((path) => found('tools-have-roles', path, 'neither npm test nor .ci/run runs this gate')),
    ];
  },
};

// A service account is a thing of its own; a service of anything is not.
const vague = /(?:^|[/-])(?:utils?|helpers?|common|misc|manager|service(?!-account)|impl)(?=[./-])/;

export const namesSaySomething: Law = {
  name: 'names-say-something',
  find: (tree) =>
    tree.paths.flatMap((path) => {
      if (!isSource(path)) return [];
      if (vague.test(path)) return [found('names-say-something', path, 'name it for what it is about')];
      const file = path.slice(path.lastIndexOf('/') + 1);
      return /^[a-z0-9]+(?:[-.][a-z0-9]+)*\.ts$/.test(file)
        ? []
        : [found('names-say-something', path, 'files are named in kebab-case')];
    }),
};

export const longestFile = 500;

export const filesAreShort = (excused: readonly string[]): Law => ({
  name: 'files-are-short',
  find: (tree) =>
    tree.paths
      // Nobody writes or reads what is emitted as one piece.
      .filter((path) => isSource(path) && !path.includes('/generated/') && !excused.includes(path))
      .map((path) => ({ path, lines: tree.text(path).split('\n').length - 1 }))
      .filter(({ lines }) => lines > longestFile)
      .map(({ path, lines }) => found('files-are-short', path, `${lines} lines; is there one idea in it?`)),
});

export const mostFiles = 25;

/** A folder is read as a list of names; beyond this many a reader has to know what to look for. */
export const foldersAreSmall: Law = {
  name: 'folders-are-small',
  find: (tree) => {
    const written = tree.paths.filter((path) => isSourceOrPage(path) && !path.includes('/generated/'));
    const folders = Map.groupBy(written, (path) => path.slice(0, path.lastIndexOf('/')));
    return [...folders]
      .filter(([, files]) => files.length > mostFiles)
      .map(([folder, files]) =>
        found('folders-are-small', folder, `${files.length} files; divide it by what they are about`),
      );
  },
};

export const longestFunction = 100;

/** `excused` has lines `path name`. Tests may be long: they are read from top to bottom. */
export const functionsAreShort = (excused: readonly string[]): Law => ({
  name: 'functions-are-short',
  find: (tree) =>
    tree.paths
      .filter((path) => isSourceOrPage(path) && !isTestCode(path) && !path.includes('/generated/'))
      .flatMap((path) => longFunctionsIn(tree, path))
      .filter(({ path, name }) => !excused.includes(`${path} ${name}`))
      .map(({ path, name, line, lines }) => ({
        ...found('functions-are-short', path, `${name} has ${lines} lines; which ideas are in it?`),
        line,
      })),
});

/** Every function of a file that is longer than it may be, by its own name or that of what it is assigned to. */
export function longFunctionsIn(tree: Tree, path: string) {
  const text = tree.text(path);
  const nameOf = (node: Node | undefined): string | undefined =>
    ((node?.['id'] ?? node?.['key']) as { readonly name?: string } | null | undefined)?.name;
  return [...walk(parse(tree, path) as unknown as Node)]
    .filter(({ node }) => /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
    .map(({ node, parents }) => ({
      path,
      name: nameOf(node) ?? nameOf(parents.findLast((parent) => nameOf(parent) !== undefined)) ?? 'anonymous',
      line: lineAt(text, node.start),
      lines: lineAt(text, node.end) - lineAt(text, node.start) + 1,
    }))
    .filter(({ lines }) => lines > longestFunction);
}

/** Numbered once, with a way back. What an applied migration says is history: its checksum is committed beside it. */
export const migrationsAreNumbered: Law = {
  name: 'migrations-are-numbered',
  find: (tree) => {
    const names = filesIn(tree, 'db/migrations').filter((name) => name.endsWith('.sql'));
    const ups = names.filter((name) => name.endsWith('.up.sql'));
    const numbers = ups.map((name) => name.slice(0, 4));
    const report = (name: string, message: string) =>
      found('migrations-are-numbered', `db/migrations/${name}`, message);
    return names.flatMap((name) => {
      if (!/^\d{4}-[a-z0-9-]+\.(?:up|down)\.sql$/.test(name)) return [report(name, 'name it 0001-what-it-does.up.sql')];
      const twin = name.endsWith('.up.sql')
        ? name.replace('.up.sql', '.down.sql')
        : name.replace('.down.sql', '.up.sql');
      if (!names.includes(twin)) return [report(name, `there is no ${twin}`)];
      if (name.endsWith('.down.sql')) return [];
      const position = Number(name.slice(0, 4));
      if (numbers.filter((number) => number === name.slice(0, 4)).length > 1)
        return [report(name, 'two have this number')];
      return position > 1 && !numbers.includes(String(position - 1).padStart(4, '0'))
        ? [report(name, 'the number before it is missing')]
        : [];
    });
  },
};

/** The driver plans each name once per connection, so a name with two texts fails at its second use. */
export const statementsHaveOneName: Law = {
  name: 'statements-have-one-name',
  find: (tree) => {
    const first = new Map<string, string>();
    return tree.paths
      .filter((path) => path.startsWith('server/src/') && isSource(path) && !isTestCode(path))
      .flatMap((path) =>
        [...tree.text(path).matchAll(/\bsql\(\s*'([^']+)'/g)].flatMap(([, name = '']) => {
          const other = first.get(name);
          if (other === undefined) first.set(name, path);
          return other === undefined
            ? []
            : [found('statements-have-one-name', path, `the statement ${name} is also in ${other}: rename one`)];
        }),
      );
  },
};
