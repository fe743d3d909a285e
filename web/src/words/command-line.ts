import type { OperationId } from '@gpuaas/sdk';
import { commandLines } from './generated/commands.ts';
import { plainAmount } from './money.ts';

/** Single quotes for a shell: nothing inside is interpreted, so a hostile name stays text. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const quoteWhereNeeded = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text));

type Input = Readonly<Record<string, unknown>>;

/**
 * A call as a person would type it, in lines. Undefined where the command does not take all input: a partial command
 * would do something else.
 */
export function writeCommandLine(
  operation: OperationId,
  input: Input,
  project: string | undefined,
): string[] | undefined {
  const line = commandLines[operation];
  if (!line) return undefined;
  const left = new Map(leavesOf(input));
  const args = line.args.map(([field, as]) => {
    const [text = field.toUpperCase()] = textsOf(as, takeFrom(left, input, field));
    return text;
  });
  if (args.some((text) => text.startsWith('-'))) return undefined;
  const currency = typeof input['currency'] === 'string' ? input['currency'] : undefined;
  const flags = Object.entries(line.flags).flatMap(([field, [flag, as]]) => {
    // Without its currency nobody knows where the decimal point of an amount is: it stays in `left`.
    if (as === 'amount' && currency === undefined) return [];
    const found = takeFrom(left, input, field);
    const value = as === 'amount' && currency ? amountOf(found, currency) : found;
    if (as === 'flag') return value === true ? [`--${flag}`] : [];
    return textsOf(as, value).map((text) =>
      text.startsWith('-') ? `--${flag}=${quoteWhereNeeded(text)}` : `--${flag} ${quoteWhereNeeded(text)}`,
    );
  });
  for (const [path, value] of Object.entries(line.gives ?? {})) if (left.get(path) === value) left.delete(path);
  const named = left.get('project_id');
  left.delete('project_id');
  if (left.size > 0) return undefined;
  const where = typeof named === 'string' ? named : project;
  return [
    ['npx gpuaas', line.words, ...args.map(quoteWhereNeeded)].join(' '),
    ...flags,
    ...(where === undefined ? [] : [`--project ${quoteWhereNeeded(where)}`]),
  ];
}

const amountOf = (minor: unknown, currency: string): string | undefined =>
  typeof minor === 'string' ? plainAmount({ amount_minor: minor, currency }) : undefined;

/** Every value in it, by its path; a list is one value. */
function leavesOf(input: Input, before = ''): [string, unknown][] {
  return Object.entries(input).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
      ? leavesOf(value as Input, `${before}${name}.`)
      : [[`${before}${name}`, value]],
  );
}

function takeFrom(left: Map<string, unknown>, input: Input, path: string): unknown {
  for (const each of [...left.keys()]) if (each === path || each.startsWith(`${path}.`)) left.delete(each);
  return path.split('.').reduce<unknown>((value, name) => (value as Input | undefined)?.[name], input);
}

/** A value as a command reads it; one with a star may be given more than once. */
function textsOf(as: string | undefined, value: unknown): string[] {
  if (value === undefined || value === null) return [];
  switch (as) {
    case 'pairs*':
      return Object.entries(value as Readonly<Record<string, string>>).map(([name, each]) => `${name}=${each}`);
    case 'json':
      return [JSON.stringify(value)];
    case 'money': {
      const { amount_minor, currency } = value as Readonly<Record<string, string>>;
      return [`${plainAmount({ amount_minor: amount_minor ?? '', currency: currency ?? '' })} ${currency}`];
    }
    case 'seconds':
      return [`${String(value)}s`];
    case 'minutes':
      return [`${String(value)}m`];
    default:
      if (Array.isArray(value)) return as?.endsWith('*') ? value.map(String) : [value.join(',')];
      return [String(value)];
  }
}
