import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listLines, makeTree, repository, root } from '../lib/tree.ts';
import {
  alertsHaveRunbooks,
  appPagesAreVerified,
  decisionsAreWhole,
  documentsHaveTitles,
  linksLeadSomewhere,
  namedFilesExist,
  newestDay,
} from './document-laws.ts';
import { type Law, showFindings } from './law.ts';
import {
  domainsAreWhole,
  filesAreShort,
  foldersAreSmall,
  functionsAreShort,
  longestFile,
  longestFunction,
  longFunctionsIn,
  migrationsAreNumbered,
  mostFiles,
  namesSaySomething,
  portsAreWhole,
  statementsHaveOneName,
  toolsHaveRoles,
} from './place-laws.ts';

const excused = listLines(readFileSync(join(root, 'tools/laws/exceptions/long-files.txt'), 'utf8')).map(
  (line) => line.split(' ')[0] ?? '',
);

const longFunctions = listLines(readFileSync(join(root, 'tools/laws/exceptions/long-functions.txt'), 'utf8'));
const functionOf = (lines: number) => `export const a = () => {\n${'  x();\n'.repeat(lines - 2)}};\n`;
const filesIn = (folder: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/a${index}.ts`, '']));

const port = {
  'server/src/ports/post/port.ts': '',
  'server/src/ports/post/conformance.ts': '',
  'server/src/ports/post/open.ts': '',
  'server/src/ports/post/paper.ts': '',
  'server/src/ports/post/paper.conformance.test.ts': '',
  'server/src/ports/post/wire.ts': '',
  'server/src/ports/post/wire.production.test.ts': '',
};
const without = (files: Readonly<Record<string, string>>, path: string) =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name !== path));
const alert = (runbook: string) =>
  `groups:\n  - name: a\n    rules:\n      - alert: Late\n        expr: up == 0\n        annotations:\n          runbook: ${runbook}\n`;

const decision = (head: string, end: string) => `# RFD 1: A\n\n${head}\n\n## Decision\n\nSo.\n\n${end}`;

const appPage = (verified: string) =>
  `---\nstatus: partial\ncapabilities: APP-02\nlast_verified_against_code: ${verified}\n---\n\n# A\n`;

/** Each law with a tree that keeps it, and trees that break it together with the words of the report. */
const cases: readonly {
  readonly law: Law;
  readonly kept: Readonly<Record<string, string>>;
  readonly broken: readonly (readonly [string, Readonly<Record<string, string>>])[];
}[] = [
  {
    law: domainsAreWhole,
    kept: {
      'server/src/domains/a/README.md': '',
      'server/src/domains/a/index.ts': '',
      'server/src/domains/a/a.test.ts': '',
    },
    broken: [
      ['no README.md', { 'server/src/domains/a/index.ts': '', 'server/src/domains/a/a.test.ts': '' }],
      ['no index.ts', { 'server/src/domains/a/README.md': '', 'server/src/domains/a/a.test.ts': '' }],
      ['no test', { 'server/src/domains/a/README.md': '', 'server/src/domains/a/index.ts': '' }],
    ],
  },
  {
    law: statementsHaveOneName,
    kept: { 'server/src/domains/a/store.ts': "sql('a-one', 'x'); sql('a-two', 'y')" },
    broken: [
      [
        'the statement a-one is also in server/src/domains/a/store.ts',
        {
          'server/src/domains/a/store.ts': "sql('a-one', 'x')",
          'server/src/domains/b/store.ts': "sql(\n  'a-one', 'y')",
        },
      ],
    ],
  },
  {
    law: portsAreWhole,
    kept: port,
    broken: [
      ['no port.ts', without(port, 'server/src/ports/post/port.ts')],
      ['no conformance.ts', without(port, 'server/src/ports/post/conformance.ts')],
      ['no open.ts', without(port, 'server/src/ports/post/open.ts')],
      ['no embedded adapter', without(port, 'server/src/ports/post/paper.conformance.test.ts')],
      ['no production adapter', without(port, 'server/src/ports/post/wire.production.test.ts')],
      ['there is no wire.ts', without(port, 'server/src/ports/post/wire.ts')],
    ],
  },
  {
    law: toolsHaveRoles,
    kept: { 'tools/gates/a.ts': '', 'tools/dev/test.ts': "import { a } from '../gates/a.ts';\na;\n" },
    broken: [
      ['neither npm test nor .ci/run runs', { 'tools/gates/a.ts': '', 'tools/dev/test.ts': '' }],
      ['put it under', { 'tools/scripts/fix.sh': '' }],
    ],
  },
  {
    law: namesSaySomething,
    kept: { 'server/src/kernel/clock.ts': '', 'server/src/kernel/uncommon.ts': '' },
    broken: [
      ['what it is about', { 'server/src/kernel/utils.ts': '' }],
      ['what it is about', { 'server/src/helpers/clock.ts': '' }],
      ['what it is about', { 'server/src/domains/a/billing-service.ts': '' }],
      ['kebab-case', { 'server/src/kernel/testClock.ts': '' }],
    ],
  },
  {
    law: filesAreShort(['long.ts']),
    kept: { 'a.ts': 'x;\n'.repeat(longestFile), 'long.ts': 'x;\n'.repeat(longestFile + 1) },
    broken: [['501 lines', { 'a.ts': 'x;\n'.repeat(longestFile + 1) }]],
  },
  {
    law: foldersAreSmall,
    kept: { ...filesIn('cli/src', mostFiles), 'cli/src/more/a.ts': '' },
    broken: [['cli/src:1 folders-are-small: 26 files', filesIn('cli/src', mostFiles + 1)]],
  },
  {
    law: functionsAreShort(['cli/src/long.ts a']),
    kept: { 'cli/src/a.ts': functionOf(longestFunction), 'cli/src/long.ts': functionOf(longestFunction + 1) },
    broken: [['a has 101 lines', { 'cli/src/a.ts': functionOf(longestFunction + 1) }]],
  },
  {
    law: migrationsAreNumbered,
    kept: { 'db/migrations/0001-a.up.sql': '', 'db/migrations/0001-a.down.sql': '' },
    broken: [
      ['there is no 0001-a.down.sql', { 'db/migrations/0001-a.up.sql': '' }],
      ['name it', { 'db/migrations/first.sql': '' }],
      ['the number before it', { 'db/migrations/0003-a.up.sql': '', 'db/migrations/0003-a.down.sql': '' }],
      [
        'two have this number',
        {
          'db/migrations/0001-a.up.sql': '',
          'db/migrations/0001-a.down.sql': '',
          'db/migrations/0001-b.up.sql': '',
          'db/migrations/0001-b.down.sql': '',
        },
      ],
    ],
  },
  {
    law: documentsHaveTitles,
    kept: { 'docs/a.md': '# A\n', 'docs/b.md': '---\nstatus: design\n---\n\n# B\n' },
    broken: [['begin with', { 'docs/a.md': 'Some words.\n' }]],
  },
  {
    law: linksLeadSomewhere,
    kept: {
      'README.md': '[a](docs/a.md#one-two) [docs](docs) [web](https://example.com) `[not](a-link)`\n',
      'docs/a.md': '# A\n\n## One, two\n\n[back](../README.md)\n',
    },
    broken: [
      ['docs/b.md is not there', { 'README.md': '[b](docs/b.md)\n' }],
      ['no heading #three', { 'README.md': '[a](docs/a.md#three)\n', 'docs/a.md': '# A\n' }],
    ],
  },
  {
    law: alertsHaveRunbooks,
    kept: { 'deploy/alerts/a.yml': alert('docs/runbooks/late.md'), 'docs/runbooks/late.md': '# Late\n' },
    broken: [
      ['names no docs/runbooks page', { 'deploy/alerts/a.yml': alert('none') }],
      ['which is not there', { 'deploy/alerts/a.yml': alert('docs/runbooks/late.md') }],
      ['no alert leads here', { 'docs/runbooks/late.md': '# Late\n' }],
    ],
  },
  {
    law: appPagesAreVerified,
    kept: { 'docs/guides/run-an-app.md': appPage(`0123456789ab ${newestDay()}`), 'docs/guides/other.md': '# Other\n' },
    broken: [
      ['has no status', { 'docs/guides/run-an-app.md': '# Run\n' }],
      ['has no last_verified_against_code', { 'apps/README.md': appPage('lately') }],
      ['more than 90 days ago', { 'docs/tutorials/first-app.md': appPage('0123456789ab 2020-01-31') }],
    ],
  },
  {
    law: decisionsAreWhole,
    kept: {
      'docs/rfd/0000-rfds.md': '| [1](0001-a.md) | A | accepted |\n',
      'docs/rfd/0001-a.md': decision('State: accepted. Date: 2026-01-31.', '## Alternatives\n\n- *None.* No.\n'),
    },
    broken: [
      ['its first line', { 'docs/rfd/0001-a.md': decision('State: accepted.', '## Alternatives\n\n- None.\n') }],
      ['its first line', { 'docs/rfd/0001-a.md': decision('Date: 2026-01-31.', '## Alternatives\n\n- None.\n') }],
      [
        'its first line',
        { 'docs/rfd/0001-a.md': decision('Date: 2026-01-31. State: accepted.', '## Alternatives\n\n- None.\n') },
      ],
      [
        'has no line "| [1](0001-a.md) | A | superseded |"',
        {
          'docs/rfd/0000-rfds.md': '| [1](0001-a.md) | A | accepted |\n',
          'docs/rfd/0001-a.md': decision('State: superseded. Date: 2026-01-31.', '## Alternatives\n\n- None.\n'),
        },
      ],
      ['has no alternatives', { 'docs/rfd/0001-a.md': decision('State: accepted. Date: 2026-01-31.', '') }],
    ],
  },
  {
    law: namedFilesExist,
    kept: {
      'server/src/domains/a/README.md': '# A\n\n`life/go.ts` and `life/` are here; [go.ts](life/go.ts).\n',
      'server/src/domains/a/life/go.ts': '',
    },
    broken: [
      ['admin.ts is not in this domain', { 'server/src/domains/a/README.md': '# A\n\n- `admin.ts` is old.\n' }],
      ['life/ is not in this domain', { 'server/src/domains/a/README.md': '# A\n\n- `life/` is old.\n' }],
      ['"old.ts" leads to new.ts', { 'docs/a.md': '# A\n\n[old.ts](new.ts)\n' }],
    ],
  },
];

describe('the tree', () => {
  it('gives every script a role, and runs every gate', () => {
    expect(showFindings(toolsHaveRoles.find(repository()))).toEqual([]);
  });

  const withLists = new Set(['files-are-short', 'functions-are-short']);
  it.each(cases.map(({ law }) => law).filter((law) => !withLists.has(law.name)))('obeys the law $name', (law) => {
    expect(showFindings(law.find(repository()))).toEqual([]);
  });

  it('has no file that is too long without a reason', () => {
    expect(showFindings(filesAreShort(excused).find(repository()))).toEqual([]);
  });

  it('has no function that is too long, except those on the list, and the list names no other', () => {
    const tree = repository();
    expect(showFindings(functionsAreShort(longFunctions).find(tree))).toEqual([]);
    const listed = (line: string) => {
      const [path = '', name] = line.split(' ');
      return tree.paths.includes(path) && longFunctionsIn(tree, path).some((each) => each.name === name);
    };
    expect(longFunctions.filter((line) => !listed(line))).toEqual([]);
  });
});

describe('the laws', () => {
  it.each(cases)('$law.name is silent on a tree that keeps it', ({ law, kept }) => {
    expect(law.find(makeTree(kept))).toEqual([]);
  });

  it.each(cases.flatMap(({ law, broken }) => broken.map(([words, files]) => ({ name: law.name, law, words, files }))))(
    '$name reports "$words"',
    ({ law, words, files }) => {
      expect(showFindings(law.find(makeTree(files))).join('\n')).toContain(words);
    },
  );
});
