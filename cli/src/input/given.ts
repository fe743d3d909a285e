import { parseArgs } from 'node:util';
import { type CommandSpec, everyFlag, type Given } from '../command.ts';
import { usageFailure } from '../failure.ts';

/** The words behind a command, as flags and arguments. */
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
      args: [...words],
      options: { ...options, fields: { type: 'string' } },
      allowPositionals: true,
      strict: true,
    });
    return { values: values as Given['values'], positionals };
  };
  try {
    return parse(withFields(args, parse, command.args?.length ?? 0));
  } catch (error) {
    // The first sentence says what is wrong; the rest is about a way of quoting that nobody wants here.
    const [what = ''] = (error as Error).message.split('. ');
    throw usageFailure(`${what.replace(/\.$/, '')}.`, `gpuaas ${command.name} --help shows what it takes.`);
  }
}

/**
 * --json alone is all of it; --json=FIELDS is some of it, and so is --json FIELDS where the command would not take that
 * word as an argument. No parser of flags knows these as the same flag.
 */
function withFields(args: readonly string[], parse: (words: readonly string[]) => Given, takes: number): string[] {
  const words = args.map((arg) => (arg.startsWith('--json=') ? `--fields=${arg.slice('--json='.length)}` : arg));
  const at = words.indexOf('--json');
  const next = words[at + 1];
  if (at < 0 || next === undefined || next.startsWith('-') || parse(words).positionals.length <= takes) return words;
  return [...words.slice(0, at), `--fields=${next}`, ...words.slice(at + 2)];
}

/** Refuses what is missing, what is too much, and what is none of the choices, before anything is looked up. */
export function checkGiven(command: CommandSpec, { values, positionals }: Given): void {
  const { name, args = [] } = command;
  const how = `gpuaas ${name} --help shows how.`;
  const missing = args.find((arg, index) => !arg.optional && (positionals[index] ?? '') === '');
  if (missing) throw usageFailure(`${missing.name} is missing: ${missing.meaning}.`, how);
  if (positionals.length > args.length) {
    throw usageFailure(`${JSON.stringify(positionals[args.length])} is more than it takes.`, how);
  }
  for (const [flag, { choices }] of Object.entries({ ...everyFlag, ...command.flags })) {
    const given = [values[flag] ?? []].flat();
    const wrong = choices && given.find((each) => !choices.includes(String(each)));
    if (wrong !== undefined) {
      throw usageFailure(`--${flag} is one of ${choices?.join(', ')}; not ${JSON.stringify(wrong)}.`, how);
    }
  }
}
