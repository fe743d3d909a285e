import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { parse as parseYaml } from 'yaml';
import { byText } from './json.ts';
import { table } from './table.ts';

/**
 * Every metric of the product, read from the lines that register it. Name, meaning and labels are literals there; one
 * that is not would be missing here, so it is refused.
 */
export interface Metric {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly path: string;
}

/** As much of a syntax tree as is looked at. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly elements?: readonly Node[];
  readonly arguments?: readonly Node[];
  readonly callee?: Node;
  readonly property?: Node;
}
const kinds = new Set(['counter', 'gauge', 'histogram']);

export function metricsIn(path: string, text: string): Metric[] {
  if (!text.includes('gpuaas_')) return [];
  const found: Metric[] = [];
  walk(parseSync(path, text).program, (node) => {
    const method = node.callee?.type === 'MemberExpression' ? node.callee.property?.name : undefined;
    const [name, help, labels] = node.arguments ?? [];
    if (node.type !== 'CallExpression' || method === undefined || !kinds.has(method)) return;
    if (typeof name?.value !== 'string' || !name.value.startsWith('gpuaas_')) return;
    const names = labels?.elements?.map(({ value }) => value);
    if (typeof help?.value !== 'string' || !names?.every((label) => typeof label === 'string')) {
      throw new Error(`${path}: the meaning and the labels of ${name.value} must stand there as they are.`);
    }
    found.push({ name: name.value, kind: method as Metric['kind'], help: help.value, labels: names, path });
  });
  return found;
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const each of value) walk(each, visit);
  } else if (typeof value === 'object' && value !== null) {
    if ('type' in value) visit(value as Node);
    for (const each of Object.values(value)) walk(each, visit);
  }
}

interface AlertFile {
  readonly groups?: readonly {
    readonly rules?: readonly {
      readonly alert?: string;
      readonly record?: string;
      readonly expr?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    }[];
  }[];
}
interface Alert {
  readonly name: string;
  readonly expression: string;
  readonly runbook: string;
}

export function emitMetrics(root: string): string {
  const sources = join(root, 'server/src');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/(?:\.test|testing)\.ts$/.test(name) && !name.startsWith('testing/'),
  );
  const metrics = files.flatMap((name) => metricsIn(name, readFileSync(join(sources, name), 'utf8')));
  return showMetrics(metrics, readAlerts(join(root, 'deploy/alerts')));
}

function readAlerts(folder: string): Alert[] {
  const files = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const rules = files.sort(byText).flatMap((name) => {
    const file = parseYaml(readFileSync(join(folder, name), 'utf8')) as AlertFile | null;
    return (file?.groups ?? []).flatMap((group) => group.rules ?? []);
  });
  // An alert may look at a number that another rule works out; what that one looks at counts as well.
  const recorded = rules.flatMap(({ record, expr = '' }) => (record === undefined ? [] : [{ record, expr }]));
  return rules.flatMap(({ alert, expr = '', annotations = {} }) => {
    if (alert === undefined) return [];
    const behind = recorded.filter(({ record }) => expr.includes(record)).map((rule) => rule.expr);
    return [{ name: alert, expression: [expr, ...behind].join(' '), runbook: annotations['runbook'] ?? '' }];
  });
}

/** One metric may be registered by several processes; it is one all the same. */
export function showMetrics(metrics: readonly Metric[], alerts: readonly Alert[]): string {
  const byName = Map.groupBy(metrics, ({ name }) => name);
  const rows = [...byName]
    .sort(([a], [b]) => byText(a, b))
    .map(([name, [first]]) => [
      `\`${name}\``,
      first?.kind ?? '',
      (first?.labels ?? []).map((label) => `\`${label}\``).join(', '),
      first?.help ?? '',
      alerts
        .filter(({ expression }) => new RegExp(`\\b${name}(?:_bucket|_count|_sum)?\\b`).test(expression))
        .map((alert) => `[${alert.name}](../${alert.runbook.replace(/^docs\//, '')})`)
        .join(', '),
    ]);
  return `# Metrics

Emitted by \`npm run gen\` from the lines that register them and from [deploy/alerts](../../deploy/alerts). Every process
serves \`/metrics\` for Prometheus on its health address, with the label \`process\` on all of it, beside what Node.js says about
itself (\`process_…\`, \`nodejs_…\`). No label names a tenant, a person or an allocation.

${table(['metric', 'type', 'labels', 'meaning', 'alerts'], rows)}
`;
}
