import { parseArgs } from 'node:util';
import { type CommandSpec, everyFlag, type Given, type Surroundings } from './command.ts';
import { commands, commandsBelow, findCommand, nearest } from './commands.ts';
import { type ExitCode, exitCodes, Failure, usageFailure } from './failure.ts';
import { readVersion } from './version.ts';

/** From the command line to the exit code. Answers go to stdout, everything else to stderr. */
export async function runCommandLine(args: readonly string[], around: Surroundings): Promise<ExitCode> {
  try {
    const [first, ...others] = args;
    if (first === '--version') {
      around.stdout.write(`${readVersion()}\n`);
      return exitCodes.ok;
    }
    if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
      around.stdout.write(await explain(others.filter((word) => !word.startsWith('-'))));
      return first === undefined ? exitCodes.client : exitCodes.ok;
    }
    const words = args.slice(0, args.findIndex((word) => word.startsWith('-')) >>> 0);
    const found = findCommand(words);
    if (!found) {
      // Words that other commands begin with are a question, and no answer to it is a mistake.
      const text = await explain(words);
      const asked = args.includes('--help') || args.includes('-h');
      (asked ? around.stdout : around.stderr).write(text);
      return asked ? exitCodes.ok : exitCodes.client;
    }
    const { command } = found;
    const given = read(command, args.slice(command.name.split(' ').length));
    if (given.values['help']) {
      around.stdout.write((await import('./help.ts')).helpOf(command));
      return exitCodes.ok;
    }
    check(command, given);
    const { openSession } = await import('./session.ts');
    const run = await command.load();
    return (await run(openSession(given, around, commands))) ?? exitCodes.ok;
  } catch (error) {
    return say(error, around);
  }
}

async function explain(words: readonly string[]): Promise<string> {
  const { helpBelow, helpOf, helpOfAll } = await import('./help.ts');
  if (words.length === 0) return helpOfAll(readVersion());
  const found = findCommand(words);
  if (found) return helpOf(found.command);
  const below = commandsBelow(words);
  if (below.length > 0) return helpBelow(words, below);
  throw usageFailure(
    `There is no command ${JSON.stringify(words.join(' '))}.`,
    `Did you mean ${nearest(words.join(' '))
      .map((name) => `gpuaas ${name}`)
      .join(' or ')}?`,
  );
}

function read(command: CommandSpec, args: readonly string[]): Given {
  const flags = { ...everyFlag, ...command.flags };
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, short, many }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(many && { multiple: true }) },
    ]),
  );
  // --json alone is all of it; --json=FIELDS is some of it, which no parser of flags knows as the same flag.
  const asked = args.map((arg) => (arg.startsWith('--json=') ? `--fields=${arg.slice('--json='.length)}` : arg));
  try {
    const { values, positionals } = parseArgs({
      args: asked,
      options: { ...options, fields: { type: 'string' } },
      allowPositionals: true,
      strict: true,
    });
    return { values: values as Given['values'], positionals };
  } catch (error) {
    // The first sentence says what is wrong; the rest is about a way of quoting that nobody wants here.
    const [what = ''] = (error as Error).message.split('. ');
    throw usageFailure(`${what.replace(/\.$/, '')}.`, `gpuaas ${command.name} --help shows what it takes.`);
  }
}

function check({ name, args = [] }: CommandSpec, { positionals }: Given): void {
  const missing = args.find((arg, index) => !arg.optional && (positionals[index] ?? '') === '');
  if (missing)
    throw usageFailure(`${missing.name} is missing: ${missing.meaning}.`, `gpuaas ${name} --help shows how.`);
  if (positionals.length > args.length) {
    throw usageFailure(
      `${JSON.stringify(positionals[args.length])} is more than it takes.`,
      `gpuaas ${name} --help shows how.`,
    );
  }
}

async function say(error: unknown, { stderr, env }: Surroundings): Promise<ExitCode> {
  const colour = stderr.isTTY === true && env['NO_COLOR'] === undefined;
  const red = (text: string) => (colour ? `\u001b[31m${text}\u001b[0m` : text);
  const failure = error instanceof Failure ? error : (await import('./session.ts')).failureFrom(error);
  if (!failure) {
    stderr.write(`${red('Error:')} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodes.client;
  }
  stderr.write(failure.exitCode === exitCodes.ok ? `${failure.message}\n` : `${red('Error:')} ${failure.message}\n`);
  if (failure.correlationId) stderr.write(`Correlation id: ${failure.correlationId}\n`);
  if (failure.next) stderr.write(`Next: ${failure.next}\n`);
  return failure.exitCode;
}
