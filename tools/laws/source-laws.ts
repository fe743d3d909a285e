import { isTestCode } from '../lib/tree.ts';
import { calleeName, type Law, type Node, sourceLaw } from './law.ts';

/**
 * Laws about single lines of our source. They read the syntax tree, so a word in a comment or in a test's title is only
 * a word. Each has a canary under tools/laws/canaries that breaks it and must be reported.
 */

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const literal = (value: unknown): unknown => (isNode(value) && value.type === 'Literal' ? value['value'] : undefined);
const keyName = (node: Node): string | undefined => {
  const key = node['key'];
  if (!isNode(key)) return undefined;
  return key.type === 'Identifier' ? String(key['name']) : String(literal(key) ?? '');
};

const looksLikeSql = (text: string): boolean =>
  /\b(?:select\b[\s\S]*\bfrom|insert\s+into|update\s+\S+\s+set|delete\s+from|alter\s+table|create\s+table|drop\s+table)\b/i.test(
    text,
  );

/** The texts of a template between its holes. */
const templateText = (node: Node): string =>
  (node['quasis'] as readonly Node[]).map((part) => (part['value'] as { readonly raw: string }).raw).join(' ');

const textOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined;
  if (node.type === 'TemplateLiteral') return templateText(node);
  const value = literal(node);
  return typeof value === 'string' ? value : undefined;
};

export const noShellStrings = sourceLaw({
  name: 'no-shell',
  look: (node, _parents, text) => {
    if (node.type === 'ImportDeclaration' && literal(node['source']) === 'node:child_process') {
      const taken = text.slice(node.start, node.end);
      if (/\bexec(?:Sync)?\b/.test(taken))
        return 'exec reads its text with a shell; use execFile with a list of arguments';
    }
    if (node.type === 'Property' && keyName(node) === 'shell' && literal(node['value']) !== false) {
      return 'no program is started through a shell; give its arguments as a list';
    }
    return undefined;
  },
});

export const noEval = sourceLaw({
  name: 'no-eval',
  look: (node) => {
    if (node.type === 'CallExpression' && calleeName(node) === 'eval') return 'text is not run as code';
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && calleeName(node) === 'Function') {
      return 'text is not run as code';
    }
    return undefined;
  },
});

/** Tests may count rows of any table, and the emitter writes files of SQL that people read before they run. */
export const noBuiltSql = sourceLaw({
  name: 'no-built-sql',
  applies: (path) => !isTestCode(path) && !path.startsWith('tools/emit/'),
  look: (node) => {
    if (node.type === 'TemplateLiteral' && (node['expressions'] as readonly unknown[]).length > 0) {
      if (looksLikeSql(templateText(node))) return 'a statement is written whole; values travel as $1, $2';
    }
    if (node.type === 'BinaryExpression' && node['operator'] === '+') {
      const sides = [textOf(node['left']), textOf(node['right'])];
      if (sides.some((side) => side !== undefined && looksLikeSql(side))) {
        return 'a statement is written whole, never glued together; values travel as $1, $2';
      }
    }
    return undefined;
  },
});

export const noOffset = sourceLaw({
  name: 'no-offset',
  look: (node) => {
    const text = node.type === 'TemplateLiteral' || node.type === 'Literal' ? textOf(node) : undefined;
    return text !== undefined && looksLikeSql(text) && /\boffset\b/i.test(text)
      ? 'OFFSET reads and throws away; page by the last key that was seen'
      : undefined;
  },
});

const isMoneyName = (name: string): boolean =>
  /(?:minor|amount|micros)$/i.test(name) || /^(?:amount|price|balance)$/i.test(name);

export const noFloatMoney = sourceLaw({
  name: 'no-float-money',
  look: (node) => {
    if (node.type === 'CallExpression' && /^(?:Number\.)?parseFloat$/.test(calleeName(node) ?? '')) {
      return 'money is bigint minor units, and other numbers come checked through a schema; parseFloat guesses';
    }
    const annotation = node['typeAnnotation'];
    const name =
      node.type === 'TSPropertySignature' || node.type === 'PropertyDefinition'
        ? keyName(node)
        : node.type === 'Identifier'
          ? String(node['name'])
          : undefined;
    if (name === undefined || !isMoneyName(name) || !isNode(annotation)) return undefined;
    const type = annotation['typeAnnotation'];
    return isNode(type) && type.type === 'TSNumberKeyword'
      ? `${name} is money: a bigint of minor units, never a number`
      : undefined;
  },
});

export const noMathRandom = sourceLaw({
  name: 'no-random',
  look: (node) =>
    node.type === 'CallExpression' && calleeName(node) === 'Math.random'
      ? 'chance comes from Ids, or from a seed that is printed; Math.random can be neither foreseen nor trusted'
      : undefined,
});

/** The state of a thing under a machine is written by its applier alone; everyone else asks for a transition. */
export const statesChangeInMachines = sourceLaw({
  name: 'states-change-in-machines',
  applies: (path) =>
    path.startsWith('server/src/') && !isTestCode(path) && !/\/(?:machine|[a-z-]+-machine)\.ts$/.test(path),
  look: (node) => {
    const text = node.type === 'TemplateLiteral' || node.type === 'Literal' ? textOf(node) : undefined;
    if (text === undefined) return undefined;
    const update = /\bupdate\s+([a-z_.]+)\s+set\b([\s\S]*?)(?:\bwhere\b|$)/i.exec(text);
    const table = update?.[1]?.replace(/^.*\./, '');
    if (!update || !guardedTables.has(table ?? '') || !/\b(?:state|status)\s*=/i.test(update[2] ?? ''))
      return undefined;
    return `the state of ${table} changes in its domain's machine.ts only`;
  },
});
const guardedTables = new Set(['projects', 'project', 'dead_letters', 'dead_letter', 'allocations', 'allocation']);

/** Marks of unfinished work. Work that is left is written where it is planned, not where it is missing. */
export const noMarks: Law = {
  name: 'no-marks',
  find: (tree) =>
    tree.paths
      .filter((path) => /\.(?:ts|mjs|sql|sh|yml|yaml|jsonc)$/.test(path) && !path.startsWith('tools/laws/'))
      .flatMap((path) =>
        tree
          .text(path)
          .split('\n')
          .flatMap((line, index) =>
            marks.test(line)
              ? [{ path, line: index + 1, law: 'no-marks', message: 'finish it, or write down elsewhere what is left' }]
              : [],
          ),
      ),
};
const marks = /\b(?:TODO|FIXME|XXX|HACK)\b/;

export const sourceLaws: readonly Law[] = [
  noShellStrings,
  noEval,
  noBuiltSql,
  noOffset,
  noFloatMoney,
  noMathRandom,
  statesChangeInMachines,
  noMarks,
];
