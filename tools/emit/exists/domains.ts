import { ownersIn } from '../../laws/tables/table-owners.ts';
import type { Tree } from '../../lib/tree.ts';
import { byText } from '../json.ts';
import { table } from '../table.ts';

/** A table of the schema, with what the database itself holds about it. */
export interface TableFacts {
  readonly name: string;
  readonly columns: number;
  readonly holds: readonly string[];
}

/** Reads the emitted schema: tables, and the guards on them. */
export function tablesIn(schema: string): readonly TableFacts[] {
  return [...schema.matchAll(/^create table ([a-z_]+) \(\n([\s\S]*?)\n\)([^;]*);/gm)].map((match) => {
    const [, name = '', body = '', tail = ''] = match;
    const lines = body.split('\n');
    const machine = new RegExp(`guard_machine [^;]* ON public\\.${name} [^;]*guard_machine\\('([a-z_]+)'\\)`).exec(
      schema,
    )?.[1];
    const has = (pattern: string) => new RegExp(pattern, 'i').test(schema);
    return {
      name,
      columns: lines.filter((line) => !/^\s+constraint /i.test(line)).length,
      holds: [
        ...(has(`guard_append_only BEFORE DELETE OR UPDATE ON public\\.${name} `) ? ['**only grows**'] : []),
        ...(machine === undefined
          ? []
          : [`state along [${machine.replaceAll('_', ' ')}](../../api/machines/${machine}.md)`]),
        ...(has(`alter table ${name} (?:force|enable) row level security`) ? ['row-level security'] : []),
        ...(/partition by/i.test(tail) ? ['lies in months'] : []),
        ...(lines.some((line) => /^\s+version bigint not null default 1/.test(line)) ? ['version'] : []),
      ],
    };
  });
}

const paragraphs = (text: string): string[] =>
  text.split(/\n\s*\n/).map((each) => each.replaceAll(/\s*\n\s*/g, ' ').trim());
/** Links of a README lead on from its own folder; on this page they are words. */
const unlinked = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');

function sectionOf(tree: Tree, domain: string, tables: readonly TableFacts[]): string {
  const readme = tree.text(`server/src/domains/${domain}/README.md`);
  const title = /^# (.+)$/m.exec(readme)?.[1] ?? domain;
  const lead = unlinked(paragraphs(readme.replace(/^# .+\n/, ''))[0] ?? '');
  const invariants = /\*\*Invariants\*\*: ([\s\S]*?)(?=\n- \*\*|\n\n|$)/
    .exec(readme)?.[1]
    ?.replaceAll(/\s*\n\s*/g, ' ');
  const rows = tables.map(({ name, columns, holds }) => [`\`${name}\``, String(columns), holds.join('; ')]);
  return [
    `## ${title}`,
    lead.startsWith('- ') ? '' : lead,
    invariants === undefined ? '' : `It holds: ${unlinked(invariants)}`,
    rows.length === 0 ? 'It has no tables.' : table(['table', 'columns', 'the database holds'], rows),
    `More in [its README](../../server/src/domains/${domain}/README.md).`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The domains with their tables, and the schema by domain on one page. */
export function emitDomains(tree: Tree): string {
  const tables = tablesIn(tree.text('db/schema.sql'));
  const owners = ownersIn(tree);
  const domains = tree.paths
    .flatMap((path) => /^server\/src\/domains\/([^/]+)\/README\.md$/.exec(path)?.[1] ?? [])
    .sort(byText);
  const owned = (domain: string) => tables.filter(({ name }) => owners.get(name)?.includes(domain));
  const rest = tables.filter(({ name }) => !owners.has(name));
  const growing = tables.filter(({ holds }) => holds.includes('**only grows**')).map(({ name }) => `\`${name}\``);
  return `# Domains and their tables

Which part of the product owns which table, what holds for it, and what never changes. One row in the database has one domain that writes it; the
[schema](../../db/schema.sql) has every column, and [database rules](../../db/README.md) how the guards work.

Tables that only grow, in which no process may change or remove a row: ${growing.join(', ')}. Old rows leave whole, after they were archived.

${domains.map((domain) => sectionOf(tree, domain, owned(domain))).join('\n\n')}

## Shared by all

Tables of the kernel and of the ports, which no domain owns: idempotency, edges of the state machines, leases, adapters.

${table(
  ['table', 'columns', 'the database holds'],
  rest.map(({ name, columns, holds }) => [`\`${name}\``, String(columns), holds.join('; ')]),
)}
`;
}
