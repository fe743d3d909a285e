import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { capabilityRows } from '../lib/capabilities/index.ts';
import { judgeProofs, judgeRows } from '../lib/capabilities/judge.ts';
import { capabilityPage } from '../lib/capabilities/page.ts';
import { judgeReReview, reReviewPage, reviewed } from '../lib/capabilities/re-review.ts';
import type { Capability } from '../lib/capabilities/row.ts';
import { judgeStatus } from '../lib/capabilities/status.ts';
import type { Gate } from '../lib/gate.ts';
import { type LockedPackage, parseLockfile } from '../lib/lockfile.ts';
import { runProgram, runTool } from '../lib/program.ts';
import { parseResults, type Results } from '../lib/results.ts';
import { makeScore } from '../lib/score.ts';
import { makeTree, root } from '../lib/tree.ts';
import { claimingDocuments, judgeClaims } from './capabilities.ts';
import { compareHalves, linesOf, uncounted } from './conformance.ts';
import { floors, judgeCoverage, lostFloors } from './coverage.ts';
import { isAllowed, judgeLicences } from './licences.ts';
import { judgePins } from './pins.ts';
import { missingFrom } from './sbom.ts';
import { judgeSkips } from './skipped.ts';
import { judgeAudit } from './vulnerabilities.ts';

const locked = (entry: Partial<LockedPackage> = {}): LockedPackage => ({
  path: 'node_modules/a',
  name: 'a',
  version: '1.0.0',
  license: 'MIT',
  integrity: 'sha512-x',
  resolved: undefined,
  hasInstallScript: false,
  isDev: false,
  ...entry,
});

const report = (path: string, tests: readonly (readonly [readonly string[], string])[]): Results =>
  parseResults(
    JSON.stringify({
      testResults: [
        {
          name: join(root, path),
          status: 'passed',
          assertionResults: tests.map(([titles, status]) => ({
            ancestorTitles: titles.slice(0, -1),
            title: titles.at(-1),
            status,
          })),
        },
      ],
    }),
  );

describe('exact versions', () => {
  const lock = (text: object) => parseLockfile(JSON.stringify({ packages: text }));
  const good = { '': { dependencies: { a: '1.0.0' } }, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } };

  it('passes one exact version that the lockfile knows', () => {
    expect(judgePins({ 'package.json': { dependencies: { a: '1.0.0' } } }, lock(good))).toEqual([]);
    expect(
      judgePins(
        { 'package.json': { dependencies: { a: '1.0.0-beta.17' } } },
        lock({ '': { dependencies: { a: '1.0.0-beta.17' } } }),
      ),
    ).toEqual([]);
  });

  it.each(['^1.0.0', '~1.0.0', '1.x', '*', 'latest', '>=1', 'github:a/b'])('refuses %s', (version) => {
    const found = judgePins(
      { 'package.json': { dependencies: { a: version } } },
      lock({ '': { dependencies: { a: version } } }),
    );
    expect(found.join()).toContain('write one exact version');
  });

  it('refuses a manifest that the lockfile does not follow, an address, a missing checksum and an unknown script', () => {
    expect(judgePins({ 'package.json': { dependencies: { a: '2.0.0' } } }, lock(good)).join()).toContain(
      'package-lock.json for 1.0.0',
    );
    expect(judgePins({ 'x/package.json': {} }, lock(good)).join()).toContain(
      'x/package.json is not in package-lock.json',
    );
    expect(judgePins({ 'package.json': {} }, lock(good)).join()).toContain('which it does not ask for');
    const odd = {
      ...good,
      'node_modules/a': { version: '1.0.0', resolved: 'https://example.com/a.tgz', hasInstallScript: true },
    };
    const found = judgePins({}, lock(odd)).join('\n');
    expect(found).toContain('says where to fetch a@1.0.0');
    expect(found).toContain('no checksum for a@1.0.0');
    expect(found).toContain('a@1.0.0 has an install script');
  });
});

describe('licences', () => {
  const only =
    (...names: string[]) =>
    (licence: string) =>
      names.includes(licence);

  it('reads expressions', () => {
    expect(isAllowed('MIT', only('MIT'))).toBe(true);
    expect(isAllowed('(MIT OR GPL-3.0)', only('MIT'))).toBe(true);
    expect(isAllowed('MIT AND GPL-3.0', only('MIT'))).toBe(false);
    expect(isAllowed('GPL-3.0', only('MIT'))).toBe(false);
  });

  it('refuses a licence that is not on the list, and none at all', () => {
    const findings = judgeLicences([locked({ license: 'GPL-3.0' }), locked({ name: 'b', license: undefined })]).join(
      '\n',
    );
    expect(findings).toContain('a@1.0.0 is under GPL-3.0');
    expect(findings).toContain('b@1.0.0 names no licence');
  });

  it('allows some licences to what is never shipped', () => {
    const of = (isDev: boolean) =>
      judgeLicences([locked({ license: 'MPL-2.0', isDev })]).filter((line) => line.startsWith('a@'));
    expect(of(true)).toEqual([]);
    expect(of(false)).toHaveLength(1);
  });

  it('reports an exception that nothing needs any more', () => {
    expect(judgeLicences([]).join()).toContain('is no longer needed');
  });
});

describe('the bill of materials', () => {
  it('misses a package that is locked and not named, also when names are nested and scoped', () => {
    const components = [{ name: 'a', version: '1.0.0', components: [{ group: '@s', name: 'b', version: '2.0.0' }] }];
    expect(missingFrom(components, [locked(), locked({ name: '@s/b', version: '2.0.0' })])).toEqual([]);
    expect(missingFrom(components, [locked({ name: 'c' })])).toEqual(['c@1.0.0']);
  });
});

describe('coverage', () => {
  it('fails a folder under its floor and passes one above', () => {
    const of = (covered: number) =>
      judgeCoverage({ 'server/src/kernel/a.ts': { lines: { total: 100, covered } } }).findings;
    expect(of(100)).toEqual([]);
    expect(of(10)).toEqual([expect.stringContaining('server/src/kernel: 10.0 % of the lines ran')]);
  });

  it('asks for every line of the error catalog', () => {
    const of = (covered: number) =>
      judgeCoverage({
        'contract/src/errors.ts': { lines: { total: 1_000, covered } },
        'contract/src/other.ts': { lines: { total: 100_000, covered: 100_000 } },
      }).findings;
    expect(of(1_000)).toEqual([]);
    expect(of(999)).toEqual([expect.stringContaining('contract/src/errors.ts: 99.9 % of the lines ran')]);
  });

  it('fails a floor whose folder the run did not touch', () => {
    const paths = Object.keys(floors).map((folder) => (folder.endsWith('.ts') ? folder : `${folder}/a.ts`));
    expect(lostFloors(paths)).toEqual([]);
    const moved = paths.map((path) => path.replace('server/src/kernel/', 'server/src/core/'));
    expect(lostFloors(moved)).toEqual([expect.stringContaining('server/src/kernel has a floor')]);
  });

  it('has floors for errors, the edge and the domains', () => {
    expect(floors).toMatchObject({ 'contract/src/errors.ts': 100, 'server/src/edge': 90, 'server/src/domains': 85 });
  });
});

describe('the table of adapters', () => {
  const path = 'server/src/ports/bus/nats/nats.production.test.ts';
  const seen = linesOf(
    'production',
    report(path, [
      [['bus: nats', 'order', 'is kept'], 'passed'],
      [['other', 'x'], 'passed'],
    ]),
  );

  it('has a line for each case of a suite', () => {
    expect(seen).toEqual(['production bus nats: order > is kept: ok']);
  });

  it('does not call ok what an adapter refuses to do', () => {
    const { tests, brokenFiles } = report(path, [[['bus: nats', 'order', 'is kept'], 'passed']]);
    const limited = { brokenFiles, tests: tests.map((test) => ({ ...test, notSupported: 'order' })) };
    expect(linesOf('production', limited)).toEqual(['production bus nats: order > is kept: not supported']);
  });

  it('misses no port whose suite has another name than the port', () => {
    const misnamed = report('server/src/ports/key-store/vault.production.test.ts', [
      [['key store: vault', 'x'], 'passed'],
    ]);
    expect(uncounted('production', misnamed)).toEqual([
      'no case of key-store counts: is its suite called "key-store: <adapter>"?',
    ]);
    expect(uncounted('production', report(path, [[['bus: nats', 'order', 'is kept'], 'passed']]))).toEqual([]);
  });

  it('is silent when a run shows what is committed', () => {
    expect(compareHalves('production', [...seen, 'embedded bus postgres: a: ok'], seen)).toEqual([]);
  });

  it('names an adapter that did not run, a case that is gone, and one that is new', () => {
    expect(compareHalves('production', [...seen, 'production cache redis: a: ok'], seen)).toEqual([
      'did not run at all: production cache redis',
    ]);
    expect(compareHalves('production', [...seen, 'production bus nats: b: ok'], seen)).toEqual([
      'committed, but not seen in this run: production bus nats: b: ok',
    ]);
    expect(compareHalves('production', [], seen)).toEqual([`seen in this run, but not committed: ${seen[0]}`]);
    expect(compareHalves('production', [], [])).toHaveLength(1);
  });

  it('does not take a failed or skipped case for a good one', () => {
    const bad = linesOf('production', report(path, [[['bus: nats', 'order', 'is kept'], 'failed']]));
    expect(compareHalves('production', seen, bad)).toHaveLength(2);
  });
});

describe('claims', () => {
  const path = 'server/src/a.test.ts';
  const rows: readonly Capability[] = [
    { id: 'GAP-01', words: 'It repeats', by: { [path]: ['a replay is answered'] } },
    { id: 'GAP-02', words: 'It audits', by: { [path]: ['audit'] }, lacks: 'the ledger' },
    { id: 'GAP-03', words: 'It repeats too', sameAs: 'GAP-01' },
    { id: 'GAP-04', words: 'It sells', by: { [path]: ['a replay is answered'] }, host: 'simulated' },
    { id: 'GAP-05', words: 'It flies', notBuilt: true },
  ];
  const results = report(path, [
    [['a replay is answered'], 'passed'],
    [['audit', 'one'], 'passed'],
    [['audit', 'two'], 'failed'],
  ]);

  it('rest on named tests, all of them green', () => {
    expect(judgeProofs(rows, results, 'unit')).toEqual([
      `GAP-02 rests on a test that is failed: ${path} > audit > two`,
    ]);
    const skipped = report(path, [[['a replay is answered'], 'skipped']]);
    expect(judgeProofs(rows, skipped, 'unit')).toContain(
      `GAP-01 rests on a test that is skipped: ${path} > a replay is answered`,
    );
    expect(judgeProofs(rows, skipped, 'unit')).toContain(`GAP-02 names a test that did not run: ${path} > audit`);
  });

  it('are not made by a title: an id in brackets shows nothing', () => {
    const talked = report('b.test.ts', [[['[GAP-01] a replay is answered'], 'passed']]);
    expect(judgeProofs(rows, talked, 'unit')).toContain(
      `GAP-01 names a test that did not run: ${path} > a replay is answered`,
    );
  });

  it('are judged in the half where their tests run', () => {
    const production: readonly Capability[] = [{ id: 'GAP-01', words: 'x', by: { 'a.production.test.ts': ['works'] } }];
    expect(judgeProofs(production, results, 'unit')).toEqual([]);
    expect(judgeProofs(production, results, 'production')).toHaveLength(1);
  });

  it('have one row each, and no row may go', () => {
    expect(judgeRows(rows)).toEqual([]);
    expect(judgeRows([...rows, { id: 'GAP-01', words: 'again', notBuilt: true }])).toContain('GAP-01 has two rows');
    expect(judgeRows(rows.filter(({ id }) => id !== 'GAP-02'))).toEqual(['the row GAP-02 is missing']);
    expect(judgeRows([{ id: 'GAP-01', words: 'x', sameAs: 'GAP-05' }])).toEqual([
      'GAP-01 is the same as GAP-05, which is not a row with tests',
    ]);
    expect(judgeRows([{ id: 'GAP-01', words: 'x', by: { [path]: [] } }])).toEqual(['GAP-01 names no test']);
    expect(judgeRows(capabilityRows)).toEqual([]);
  });

  it('says what it is and what it is not yet', () => {
    const page = capabilityPage([{ name: 'G', rows }]);
    const link = `(embedded: [a.test.ts](../${path}))`;
    expect(page).toContain(`| It repeats | GAP-01 | shown ${link} |`);
    expect(page).toContain(`| It audits | GAP-02 | partly: the ledger ${link} |`);
    expect(page).toContain(`| It repeats too | GAP-03 | shown ${link} |`);
    expect(page).toContain(`| It sells | GAP-04 | shown on the simulated host only ${link} |`);
    expect(page).toContain('| It flies | GAP-05 | not built yet |');
    expect(page).toContain('## What this is');
    expect(page).toContain('## What it is not yet');
    expect(page).toContain('not fractions of a GPU');
  });

  it('has a row for each part of the app platform', () => {
    const apps = capabilityRows.filter(({ id }) => id.startsWith('APP-')).map(({ words }) => words);
    for (const part of ['Manifests', 'Trust and promotion', 'Apps are metered', 'Shared runtimes', 'SDK']) {
      expect(
        apps.some((words) => words.includes(part)),
        part,
      ).toBe(true);
    }
  });

  it('refuses a page that is not what the rows say', () => {
    const findings = judgeClaims(makeTree({ 'docs/capability-matrix.md': '# All done\n' }), results, 'unit');
    expect(findings).toContain('docs/capability-matrix.md is not what tools/lib/capabilities says');
  });

  it('holds documents to their status', () => {
    const say = (status: string, ids: string) =>
      judgeStatus('d.md', `---\nstatus: ${status}\ncapabilities: ${ids}\n---\n# D\n`, (id) => id === 'GAP-01');
    expect(say('shipped', 'GAP-01')).toEqual([]);
    expect(say('shipped', 'GAP-01, GAP-02')).toEqual([expect.stringContaining('GAP-02 is not shown')]);
    expect(say('shipped', '')).toHaveLength(1);
    expect(say('partial', 'GAP-01, GAP-02')).toEqual([]);
    expect(say('partial', 'GAP-02')).toHaveLength(1);
    expect(say('design', 'GAP-02')).toEqual([]);
    expect(say('design', 'GAP-01')).toHaveLength(1);
    expect(say('deprecated', 'GAP-02')).toEqual([]);
    expect(say('finished', 'GAP-01')).toHaveLength(1);
    expect(judgeStatus('d.md', '# D\n', () => false)).toEqual([expect.stringContaining('has no status')]);
    expect(
      claimingDocuments(makeTree({ 'docs/a.md': '', 'docs/guides/b.md': '', 'docs/capability-matrix.md': '' })),
    ).toEqual(['docs/a.md']);
  });
});

describe('the page for the next outside review', () => {
  const path = 'server/src/a.test.ts';
  const rows: readonly Capability[] = [
    { id: 'ACT-01', words: 'Keys', by: { [path]: ['a replay is answered'] } },
    { id: 'ACT-02', words: 'Locks', by: { [path]: ['a lock'] }, lacks: 'a test of two' },
    { id: 'ACT-03', words: 'Mail', notBuilt: true },
  ];
  const results = report(path, [
    [['a replay is answered'], 'passed'],
    [['a lock holds'], 'failed'],
  ]);
  const page = reReviewPage(rows, { results, commit: 'abc' });
  const whole = page.replace('0 of 1 passed', '1 of 1 passed');

  it('names a command, its result and the commit for each row that has tests', () => {
    expect(page).toContain(`npx vitest run --project unit ${path} -t 'a replay is answered'\`: 1 of 1 passed`);
    expect(page).toContain(`npx vitest run --project unit ${path} -t 'a lock'\`: 0 of 1 passed`);
    expect(page).toContain('at commit abc');
    expect(reviewed(capabilityRows).length).toBe(29);
  });

  it('lists what is not built as the next round', () => {
    const next = page.slice(page.indexOf('## The next round'));
    expect(next).toContain('- ACT-02, Locks: missing is a test of two.');
    expect(next).toContain('- ACT-03, Mail: missing is all of it.');
    expect(next).not.toContain('ACT-01');
  });

  it('is refused when it says something else than the rows', () => {
    expect(judgeReReview(whole, rows)).toEqual([]);
    expect(judgeReReview(whole.replace('State: partly', 'State: shown'), rows)).toEqual([
      'docs/re-review.md does not say of ACT-02 that it is partly',
    ]);
  });

  it('is refused with a sentence that nothing wrote, without its end, or with another list for the next round', () => {
    const found = [expect.stringContaining('docs/re-review.md is not what the rows say')];
    expect(judgeReReview(whole.replace('how it went.', 'how it went. Some rows were run alone.'), rows)).toEqual(found);
    expect(judgeReReview(`${whole}More.\n`, rows)).toEqual(found);
    expect(judgeReReview(whole.replace('missing is all of it', 'missing is little'), rows)).toEqual(found);
    expect(judgeReReview(whole.slice(0, whole.indexOf('## The next round')), rows)).toEqual(found);
  });

  it('is refused while a test of it failed, or did not run', () => {
    expect(judgeReReview(page, rows)).toEqual([expect.stringMatching(/: 0 of 1 passed of .*'a lock'/)]);
    expect(judgeReReview(whole.replace('1 of 1', '0 of 0'), rows)).toEqual([expect.stringContaining('0 of 0 passed')]);
  });
});

describe('nothing left out', () => {
  it('reports a skipped test unless it is listed', () => {
    const results = report('a.test.ts', [
      [['x', 'y'], 'skipped'],
      [['z'], 'passed'],
    ]);
    expect(judgeSkips(results, [])).toEqual(['was not run: a.test.ts > x > y']);
    expect(judgeSkips(results, ['a.test.ts > x > y'])).toEqual([]);
  });

  it('counts a file that could not be loaded', () => {
    const text = JSON.stringify({
      testResults: [
        { name: join(root, 'a.test.ts'), status: 'failed', message: 'no such module', assertionResults: [] },
      ],
    });
    expect(parseResults(text).brokenFiles).toEqual([{ path: 'a.test.ts', reason: 'no such module' }]);
  });
});

describe('known vulnerabilities', () => {
  const judge = (answer: object, code = 0, mustRead = false) =>
    judgeAudit({ code, output: '', stdout: JSON.stringify(answer) }, mustRead);

  it('fails on what is high, mentions what is not, and says aloud when nobody answered', () => {
    expect(judge({ vulnerabilities: { a: { severity: 'high', range: '<2' } } }, 1).findings).toEqual(['a <2: high']);
    expect(judge({ vulnerabilities: { a: { severity: 'low', range: '<2' } } }).findings).toEqual([]);
    expect(judge({ error: { summary: 'not implemented' } }, 1).note).toContain('NOT CHECKED');
    expect(judge({ error: { summary: 'not implemented' } }, 1, true).findings).toEqual([
      expect.stringContaining('could not be read'),
    ]);
    expect(judgeAudit({ code: 127, output: 'npm: not found', stdout: '' }, false).findings).toEqual(['npm: not found']);
  });
});

describe('secrets', () => {
  it('finds a private key in a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gpuaas-secret-'));
    const begin = ['-----BEGIN', 'RSA PRIVATE KEY-----'].join(' ');
    const end = ['-----END', 'RSA PRIVATE KEY-----'].join(' ');
    const file = join(folder, 'key.pem');
    const scan = () =>
      runTool('secretlint', [
        '--no-glob',
        '--no-gitignore',
        `--secretlintrc=${join(root, '.secretlintrc.json')}`,
        file,
      ]);
    try {
      writeFileSync(file, `${begin}\n${'MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn'.repeat(8)}\n${end}\n`);
      expect((await scan()).code).not.toBe(0);
      writeFileSync(file, 'nothing to see\n');
      expect((await scan()).code).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('programs', () => {
  it('a missing tool is a failure with its name', async () => {
    expect(await runTool('no-such-tool', [])).toMatchObject({
      code: 127,
      output: expect.stringContaining('no-such-tool'),
    });
    expect(await runProgram('/no/such/program', [])).toMatchObject({ code: 127 });
  });

  it('are stopped at their deadline', async () => {
    expect(await runProgram(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { timeoutMs: 300 })).toMatchObject(
      { code: 124 },
    );
  });

  it('get their arguments as they are', async () => {
    const ran = await runProgram(process.execPath, ['-p', 'process.argv[1]', '$(echo x); *']);
    expect(ran).toEqual({ code: 0, output: '$(echo x); *\n', stdout: '$(echo x); *\n' });
  });
});

describe('the score', () => {
  const gate = (name: string, findings: readonly string[]): Gate => ({
    name,
    remedy: 'mend it',
    fast: true,
    check: async () => ({ findings }),
  });
  const play = async (gates: readonly Gate[], failures: readonly string[]) => {
    let text = '';
    const score = makeScore(
      (chunk) => {
        text += chunk;
      },
      () => 0,
    );
    await score.gates(gates, 2);
    score.tests('vitest', { passed: 3, failures }, 0);
    return { code: score.close(), text };
  };

  it('sums gates and tests, and its last line is for programs', async () => {
    const { code, text } = await play([gate('a', []), gate('b', [])], []);
    expect(text.endsWith('\n5 passed, 0 failed\n')).toBe(true);
    expect(code).toBe(0);
  });

  it('names each test that passed only when it ran again', () => {
    let text = '';
    const score = makeScore(
      (chunk) => {
        text += chunk;
      },
      () => 0,
    );
    score.tests('vitest', { passed: 3, failures: [], report: 'expected 1', unsteady: ['a.test.ts works'] }, 0);
    expect(text).toContain('expected 1');
    expect(text).toContain('UNSTEADY  failed once, passed when it ran again: a.test.ts works');
    expect(score.close()).toBe(0);
  });

  it('shows what failed with what to do, and does not hide the rest', async () => {
    const throwing: Gate = { ...gate('c', []), check: () => Promise.reject(new Error('no tool')) };
    const { code, text } = await play([gate('a', ['line 3 is wrong']), throwing, gate('b', [])], ['a test failed']);
    expect(text).toContain('line 3 is wrong');
    expect(text).toContain('What to do: mend it');
    expect(text).toContain('no tool');
    expect(text).toContain('a test failed');
    expect(text.endsWith('\n4 passed, 3 failed\n')).toBe(true);
    expect(code).toBe(1);
  });
});
