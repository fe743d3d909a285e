import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../lib/tree.ts';

export const folder = join(root, 'deploy/dashboards');
export const boards = readdirSync(folder).sort();

/** One query of a panel. `expr` is what Grafana asks, with its own words for intervals. */
export interface Query {
  readonly board: string;
  readonly panel: string;
  readonly expr: string;
  readonly legend: string;
}
interface Board {
  readonly title: string;
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat?: string }[];
  }[];
}
export const readBoard = (file: string): Board => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Board;

export const queriesOf = (file: string): readonly Query[] =>
  readBoard(file).panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat = '' }) => ({ board: file, panel: title, expr, legend: legendFormat })),
  );

/** A metric of the reference page. */
export interface ListedMetric {
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
}
export const listedMetrics = (): readonly ListedMetric[] =>
  [
    ...readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8').matchAll(
      /^\| `(gpuaas_\w+)` \| (\w+) \| ([^|]*) \|/gm,
    ),
  ].map(([, name = '', kind = '', labels = '']) => ({
    name,
    kind,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  }));

/** The metrics that a query names. */
export const metricsOf = (expr: string, listed: readonly ListedMetric[]): readonly ListedMetric[] =>
  listed.filter(({ name }) => new RegExp(`\\b${name}(?:_bucket|_sum|_count)?\\b`).test(expr));

/** The labels that a query asks for by value, with each value: `state="offline"`, `process=~"a|b"`. */
export const valuesIn = (expr: string): readonly { readonly label: string; readonly value: string }[] =>
  [...expr.matchAll(/\b(\w+)\s*=(~?)\s*"([^"]*)"/g)].flatMap(([, label = '', loose, values = '']) =>
    (loose === '~' ? values.split('|') : [values]).map((value) => ({ label, value })),
  );

/** Labels by which a query groups, or which its legend shows. */
export const groupsIn = ({ expr, legend }: Query): readonly string[] => [
  ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/)),
  ...[...legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name),
];
