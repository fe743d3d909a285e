import { parse as parseYaml } from 'yaml';
import { frontMatter, withoutFrontMatter } from '../../lib/document.ts';
import type { Tree } from '../../lib/tree.ts';
import type { Finding, Law } from '../law.ts';

/** An operator who is woken reads every runbook in the same order, and begins with the id that leads through all the rest. */
export const sections = ['What it means', 'See it', 'Find the cause', 'Mend it', 'Afterwards'] as const;
const severities = ['critical', 'warning', 'info'];
const fields = ['category', 'severity', 'owner', 'signals'] as const;

export const runbooksOf = (tree: Tree): readonly string[] =>
  tree.paths.filter((path) => /^docs\/runbooks\/.*\.md$/.test(path) && !path.endsWith('/README.md'));

interface Alerts {
  readonly groups?: readonly {
    readonly rules?: readonly {
      readonly alert?: string;
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    }[];
  }[];
}
interface Alert {
  readonly name: string;
  readonly severity: string | undefined;
  readonly page: string | undefined;
}
const alertsOf = (tree: Tree): readonly Alert[] =>
  tree.paths
    .filter((path) => /^deploy\/alerts\/[^/]+\.ya?ml$/.test(path))
    .flatMap((path) => (parseYaml(tree.text(path)) as Alerts | null)?.groups ?? [])
    .flatMap(({ rules }) => rules ?? [])
    .flatMap(({ alert, labels, annotations }) =>
      alert === undefined ? [] : [{ name: alert, severity: labels?.['severity'], page: annotations?.['runbook'] }],
    );

const headings = (text: string): string[] =>
  [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);

function troubleOf(tree: Tree, path: string, alerts: readonly Alert[]): string[] {
  const page = tree.text(path);
  const front = frontMatter(page);
  const signals = (front['signals'] ?? '').split(/,\s*/);
  const mine = alerts.filter((alert) => alert.page === path);
  const trouble = fields
    .filter((field) => !front[field])
    .map((field) => `says no ${field} between the lines at its top`);
  if (!severities.includes(front['severity'] ?? '')) trouble.push(`its severity is one of ${severities.join(', ')}`);
  if (front['owner'] && !tree.has(`server/src/domains/${front['owner']}/README.md`))
    trouble.push(`there is no domain ${front['owner']}`);
  for (const { name, severity } of mine) {
    if (!signals.includes(name)) trouble.push(`the alert ${name} leads here and is not among its signals`);
    if (severity !== front['severity']) trouble.push(`the alert ${name} is ${severity}, the page ${front['severity']}`);
  }
  if (mine.length === 0 && !front['incident']) trouble.push('no alert leads here: name its kind of incident');
  if (headings(page).join() !== sections.join()) trouble.push(`its sections are ${sections.join(', ')}, in this order`);
  const [, first = ''] = withoutFrontMatter(page).trim().split('\n\n');
  if (!first.startsWith('**Correlation id.**') || !first.includes('`gpuaas ops trace ID`'))
    trouble.push('begins with "**Correlation id.**": how to get it, and `gpuaas ops trace ID`');
  return trouble;
}

export const runbooksHaveOneShape: Law = {
  name: 'runbooks-have-one-shape',
  find: (tree) => {
    const alerts = alertsOf(tree);
    const pages = runbooksOf(tree);
    const shapes = pages.flatMap((path) => troubleOf(tree, path, alerts).map((message) => ({ path, message })));
    const led = pages.flatMap((path) =>
      (frontMatter(tree.text(path))['signals'] ?? '').split(/,\s*/).map((signal) => ({ path, signal })),
    );
    const twice = led
      .filter(({ signal }, at) => led.findIndex((other) => other.signal === signal) !== at)
      .map(({ path, signal }) => ({ path, message: `the signal ${signal} leads to another runbook already` }));
    return [...shapes, ...twice].map((found): Finding => ({ ...found, line: 1, law: 'runbooks-have-one-shape' }));
  },
};
