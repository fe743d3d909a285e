import { answeringTo } from './around.ts';
import type { CommandSpec, Surroundings } from './command.ts';
import { commands, commandsBelow, findCommand, nearest } from './commands.ts';
import { type ExitCode, exitCodes, Failure, usageFailure } from './failure.ts';
import { loadCommand } from './load.ts';
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
      return first === undefined ? exitCodes.usage : exitCodes.ok;
    }
    const words = args.slice(0, args.findIndex((word) => word.startsWith('-')) >>> 0);
    const found = findCommand(words);
    if (!found) {
      // The beginning of a command prints its help, with the exit code of a usage error.
      const text = await explain(words);
      const asked = args.includes('--help') || args.includes('-h');
      (asked ? around.stdout : around.stderr).write(text);
      return asked ? exitCodes.ok : exitCodes.usage;
    }
    return await run(found.command, args, around);
  } catch (error) {
    return say(error, around);
  }
}

async function run(command: CommandSpec, args: readonly string[], around: Surroundings): Promise<ExitCode> {
  const { checkGiven, readGiven } = await import('./input/given.ts');
  const typed = readGiven(command, args.slice(command.name.split(' ').length));
  if (typed.values['help']) {
    around.stdout.write((await import('./help.ts')).helpOf(command));
    return exitCodes.ok;
  }
  const { findProjectFile, withDefaults } = await import('./account/project-file.ts');
  const file = await findProjectFile(around);
  const given = checkGiven(command, withDefaults(command, typed, file));
  const { openSession } = await import('./account/session.ts');
  const { jq, output } = given.values;
  const isLive = command.live === true && around.stdout.isTTY === true && output === undefined && jq === undefined;
  const watch = given.values['watch'] || isLive;
  const heard =
    typeof jq === 'string' ? answeringTo(around, await (await import('./jq.ts')).throughJq(jq, around.stdout)) : around;
  const open = (where: Surroundings) => openSession(given, where, { commands, file });
  const work = await loadCommand(command);
  if (!watch) return (await work(open(heard))) ?? exitCodes.ok;
  const { runAgainAndAgain } = await import('./repeat.ts');
  return runAgainAndAgain(command, work, open, heard);
}

async function explain(words: readonly string[]): Promise<string> {
  const { helpBelow, helpOf, helpOfAll } = await import('./help.ts');
  if (words.length === 0) return helpOfAll(readVersion());
  const found = findCommand(words);
  if (found) return helpOf(found.command);
  const below = commandsBelow(words);
  if (below.length > 0) return helpBelow(words, below);
  const near = nearest(words.join(' ')).map((name) => `gpuaas ${name}`);
  throw usageFailure(
    `There is no command ${JSON.stringify(words.join(' '))}.`,
    near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'gpuaas --help shows all of them.',
  );
}

/** The command prefix that the person used, so that a suggested command works when pasted. */
const asTyped = (text: string, env: Surroundings['env']): string =>
  env['npm_command'] === 'exec' ? text.replaceAll(/(?<!npx )\bgpuaas (?=[a-z-])/g, 'npx gpuaas ') : text;

async function say(error: unknown, { stderr, env }: Surroundings): Promise<ExitCode> {
  const colour = stderr.isTTY === true && env['NO_COLOR'] === undefined;
  const red = (text: string) => (colour ? `\u001b[31m${text}\u001b[0m` : text);
  const failure = error instanceof Failure ? error : (await import('./account/session.ts')).failureFrom(error);
  if (!failure) {
    // A stack trace is shown only with GPUAAS_DEBUG.
    const wantsStack = Boolean(env['GPUAAS_DEBUG']) && error instanceof Error;
    const text = error instanceof Error ? error.message : String(error);
    stderr.write(`${red('Error:')} Unexpected error: ${wantsStack ? (error.stack ?? text) : text}\n`);
    if (!wantsStack) stderr.write('Next: Repeat it with GPUAAS_DEBUG=1 to see the stack trace.\n');
    return exitCodes.failed;
  }
  stderr.write(failure.exitCode === exitCodes.ok ? `${failure.message}\n` : `${red('Error:')} ${failure.message}\n`);
  if (failure.correlationId) stderr.write(`Correlation id: ${failure.correlationId}\n`);
  if (failure.next) stderr.write(`Next: ${asTyped(failure.next, env)}\n`);
  return failure.exitCode;
}
