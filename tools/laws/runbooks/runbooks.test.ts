import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alertSources } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { findAll, type Reading } from '../../../server/src/domains/health/findings.ts';
import { findRunbook } from '../../../server/src/domains/runbooks/index.ts';
import { makeTree, repository, root } from '../../lib/tree.ts';
import { type Law, showFindings } from '../law.ts';
import { runbooksNameMissingApis, runbooksTypeKnownCommands } from './commands.ts';
import { runbooksHaveOneShape, runbooksOf, sections } from './shape.ts';

const top = (more = '') =>
  `---\ncategory: nodes\nseverity: warning\nowner: nodes\nsignals: Late\n${more}---\n\n# Late\n\n`;
const id = '**Correlation id.** `gpuaas ops trace ID`\n\n';
const body = sections.map((section) => `## ${section}\n\nSo.\n`).join('\n');
const alert = (severity = 'warning') =>
  `groups:\n  - name: a\n    rules:\n      - alert: Late\n        expr: up == 0\n        labels: { severity: ${severity} }\n        annotations:\n          runbook: docs/runbooks/late.md\n`;
const around = { 'server/src/domains/nodes/README.md': '', 'deploy/alerts/a.yml': alert() };
const page = (text: string, more: Readonly<Record<string, string>> = {}) => ({
  ...around,
  'docs/runbooks/late.md': text,
  ...more,
});
const code = (text: string) => page(`${top()}${id}${text}\n`);

const cases: readonly {
  readonly law: Law;
  readonly kept: Readonly<Record<string, string>>;
  readonly broken: readonly (readonly [string, Readonly<Record<string, string>>])[];
}[] = [
  {
    law: runbooksHaveOneShape,
    kept: page(top() + id + body),
    broken: [
      ['says no owner', page((top() + id + body).replace('owner: nodes\n', ''))],
      ['there is no domain ghosts', page((top() + id + body).replace('owner: nodes', 'owner: ghosts'))],
      ['its severity is one of', page((top() + id + body).replace('severity: warning', 'severity: loud'))],
      ['the alert Late is critical', page(top() + id + body, { 'deploy/alerts/a.yml': alert('critical') })],
      ['is not among its signals', page((top() + id + body).replace('signals: Late', 'signals: Early'))],
      ['name its kind of incident', page(top() + id + body, { 'deploy/alerts/a.yml': 'groups: []\n' })],
      ['in this order', page(top() + id + body.replace('## See it', '## Look'))],
      ['begins with "**Correlation id.**"', page(top() + body)],
      [
        'leads to another runbook already',
        page(top() + id + body, { 'docs/runbooks/other.md': top('incident: x\n') + id + body }),
      ],
    ],
  },
  {
    law: runbooksTypeKnownCommands,
    kept: code('`gpuaas ops node list --state offline -o json` and\n\n```bash\ngpuaas ops stuck | head\n```\n'),
    broken: [
      ['there is no command gpuaas ops node find', code('`gpuaas ops node find rack-7`')],
      ['gpuaas ops stuck has no option --loud', code('```bash\ngpuaas ops stuck --loud\n```')],
      ['has no option -z', code('```bash\ngpuaas ops stuck -z\n```')],
      ['gpuaas ops stuck takes no argument rack-7', code('```bash\nfor a in b; do gpuaas ops stuck rack-7; done\n```')],
    ],
  },
  {
    law: runbooksNameMissingApis,
    kept: code('No API lists them:\n\n```bash\npsql "$DB" -c "select 1 from a"\n```\n'),
    broken: [
      ['say "No API', code('Which ones?\n\n```bash\npsql "$DB" -c "select 1 from a"\n```')],
      ['say "No API', code('```sql\nselect a from b;\n```')],
      ['say "No API', code('End it: `select pg_terminate_backend(1)`.')],
    ],
  },
];

describe('a runbook', () => {
  it.each(cases.map(({ law }) => law))('obeys the law $name', (law) => {
    expect(showFindings(law.find(repository()))).toEqual([]);
  });

  it.each(cases.flatMap(({ law, broken }) => broken.map(([message, files]) => ({ law, message, files }))))(
    'that breaks $law.name is reported: $message',
    ({ law, message, files }) => {
      expect(showFindings(law.find(makeTree(files))).join('\n')).toContain(message);
    },
  );

  it.each(cases)('that keeps $law.name is not reported', ({ law, kept }) => {
    expect(showFindings(law.find(makeTree(kept)))).toEqual([]);
  });
});

describe('the catalog of runbooks', () => {
  const catalog = JSON.parse(readFileSync(join(root, 'docs/runbooks/runbooks.catalog.json'), 'utf8')) as {
    readonly runbooks: readonly { readonly id: string; readonly summary: string }[];
    readonly signals: Readonly<Record<string, string>>;
  };

  it('lists each page once, with a sentence that says what it is for', () => {
    expect(catalog.runbooks.map((each) => `docs/runbooks/${each.id}.md`)).toEqual(runbooksOf(repository()));
    for (const { summary } of catalog.runbooks) expect(summary).toMatch(/^[A-Z].{15,}[.:]$/);
  });

  it('has a page for agents after an outage of the control plane, and for a billing-worker that fails', () => {
    expect(catalog.signals).toMatchObject({
      control_plane_recovery: 'agents-after-an-outage',
      billing_worker_failure: 'billing-worker-away',
    });
  });

  it('has each runbook that the console leads to', () => {
    const words = repository().text('web/src/words/health/runbooks.ts');
    const led = [...words.matchAll(/'([a-z]+(?:-[a-z]+)+)'/g)].map(([, id = '']) => id);
    expect(led.length).toBeGreaterThan(4);
    const ids = new Set(catalog.runbooks.map(({ id }) => id));
    expect(led.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('has a runbook for each source of alerts of nodes', () => {
    expect(alertSources.filter((source) => catalog.signals[`alert:${source}`] === undefined)).toEqual([]);
  });

  it('has a runbook for each finding of the health of the platform that is not in order', () => {
    const many = 1_000_000;
    const bad: Reading = {
      ...{ tookMs: many, databaseBytes: many, connections: many, maxConnections: 1, relays: 0, workers: 0, billing: 0 },
      ...{ pending: many, oldestPendingSeconds: many, oldestPendingType: 'x', deadLetters: many, lostNodes: many },
      behind: [{ consumer: 'a-consumer', waiting: many, oldestSeconds: many }],
      alerts: { blocks_sale: 1, blocks_transition: 1, informs: 1 },
      ...{
        silentNodes: 1,
        tasksWaiting: 1,
        oldestTaskSeconds: many,
        certificatesExpiring: many,
        clockSkewSeconds: many,
      },
      ...{ unsealed: many, oldestUnsealedSeconds: many, unlistedProxy: { address: '10.0.0.7', seenAt: new Date(0) } },
    };
    const findings = [...findAll(bad), ...findAll({ ...bad, behind: undefined })].filter(
      ({ status }) => status !== 'ok',
    );
    expect(findings.length).toBeGreaterThan(15);
    expect(findings.map(({ name }) => name).filter((name) => findRunbook(name) === undefined)).toEqual([]);
  });
});
