import { parseArgs } from 'node:util';
import { type CommandSpec, everyFlag, type Given } from '../command.ts';
import { usageFailure } from '../failure.ts';

/** Parses the words after a command into flags and arguments. */
export function readGiven(command: CommandSpec, args: readonly string[]): Given {
  const flags = { ...everyFlag, ...command.flags };
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, short, many }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(many && { multiple: true }) },
    ]),
  );
  const parse = (words: readonly string[]): Given => {
    const { values, positionals } = parseArgs({
      args: words.map(hidePem),
      options: { ...options, fields: { type: 'string' } },
      allowPositionals: true,
      strict: true,
    });
    return { values: values as Given['values'], positionals: positionals.map(showPem) };
  };
  try {
    return parse(withFields(args, parse, command.args?.length ?? 0));
  } catch (error) {
    // Only the first sentence of the parser's message is useful.
    const [what = ''] = (error as Error).message.split('. ');
    throw usageFailure(`${what.replace(/\.$/, '')}.`, `gpuaas ${command.name} --help shows the options.`);
  }
}

/** A key as PEM begins with hyphens and is no option: the parser sees a letter in front of it. */
const pem = '-----BEGIN ';
const hidden = `p${pem}`;
const hidePem = (word: string): string => (word.startsWith(pem) ? `p${word}` : word);
const showPem = (word: string): string => (word.startsWith(hidden) ? word.slice(1) : word);

/**
 * --json alone prints everything; --json=FIELDS prints some fields, and so does --json FIELDS where the command takes
 * no such argument. A normal flag parser cannot express this.
 */
function withFields(args: readonly string[], parse: (words: readonly string[]) => Given, takes: number): string[] {
  const words = args.map((arg) => (arg.startsWith('--json=') ? `--fields=${arg.slice('--json='.length)}` : arg));
  const at = words.indexOf('--json');
  const next = words[at + 1];
  if (at < 0 || next === undefined || next.startsWith('-') || parse(words).positionals.length <= takes) return words;
  return [...words.slice(0, at), `--fields=${next}`, ...words.slice(at + 2)];
}

/** Refuses missing, surplus and unknown values before any lookup, and spells choices as the API does. */
export function checkGiven(command: CommandSpec, { values, positionals }: Given): Given {
  const { name, args = [] } = command;
  const how = `gpuaas ${name} --help shows the usage.`;
  const missing = args.find((arg, index) => !arg.optional && (positionals[index] ?? '') === '');
  if (missing) throw usageFailure(`${missing.name} is missing: ${missing.meaning}.`, how);
  if (positionals.length > args.length && !args.at(-1)?.rest) {
    throw usageFailure(`${JSON.stringify(positionals[args.length])} is one argument too many.`, how);
  }
  const chosen: Record<string, string | string[]> = {};
  for (const [flag, { choices }] of Object.entries({ ...everyFlag, ...command.flags })) {
    const typed = values[flag];
    if (!choices || typed === undefined) continue;
    const spell = (each: unknown): string => {
      const found = choiceOf(choices, String(each));
      if (found !== undefined) return found;
      throw usageFailure(`--${flag} must be one of ${choices.join(', ')}; not ${JSON.stringify(each)}.`, how);
    };
    chosen[flag] = Array.isArray(typed) ? typed.map(spell) : spell(typed);
  }
  return { values: { ...values, ...chosen }, positionals };
}

/** Tables print `release failed` for `release_failed`; both are understood. */
const choiceOf = (choices: readonly string[], typed: string): string | undefined =>
  [typed, typed.trim().replaceAll(/\s+/g, '_')].find((each) => choices.includes(each));
