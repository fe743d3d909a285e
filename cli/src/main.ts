import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, everyOption, type Given, type Surroundings } from './command.ts';
import { commands } from './commands.ts';
import { type ExitCode, exitCodes, Failure, usageFailure } from './failure.ts';

/** From the command line to the exit code. Answers go to stdout, everything else to stderr. */
export async function runCommandLine(args: readonly string[], around: Surroundings): Promise<ExitCode> {
  try {
    const [name, ...rest] = args;
    if (name === '--version') {
      around.stdout.write(`${readVersion()}\n`);
      return exitCodes.ok;
    }
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      const { helpOfAll, helpOf } = await import('./help.ts');
      const about = name === 'help' && rest[0] !== undefined ? findCommand(rest[0]) : undefined;
      around.stdout.write(about && rest[0] ? helpOf(rest[0], (await about.load()).command) : helpOfAll(readVersion()));
      return name === undefined ? exitCodes.client : exitCodes.ok;
    }
    const { command } = await findCommand(name).load();
    const given = read(name, command, rest);
    if (given.values['help']) {
      around.stdout.write((await import('./help.ts')).helpOf(name, command));
      return exitCodes.ok;
    }
    return await command.run(given, around);
  } catch (error) {
    return say(error, around);
  }
}

function findCommand(name: string) {
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!found) {
    throw usageFailure(
      `There is no command ${JSON.stringify(name)}.`,
      `There are: ${Object.keys(commands).join(', ')}.`,
    );
  }
  return found;
}

function read(name: string, command: Command, args: readonly string[]): Given {
  try {
    const options = { ...everyOption, ...command.options };
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return { values, positionals };
  } catch (error) {
    // The first sentence says what is wrong; the rest is about a way of quoting that nobody wants here.
    const [what = ''] = (error as Error).message.split('. ');
    throw usageFailure(`${what.replace(/\.$/, '')}.`, `gpuaas ${name} --help shows what it takes.`);
  }
}

function say(error: unknown, { stderr, env }: Surroundings): ExitCode {
  const colour = stderr.isTTY === true && env['NO_COLOR'] === undefined;
  const red = (text: string) => (colour ? `\u001b[31m${text}\u001b[0m` : text);
  if (!(error instanceof Failure)) {
    stderr.write(`${red('Error:')} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodes.client;
  }
  stderr.write(`${red('Error:')} ${error.message}\n`);
  if (error.correlationId) stderr.write(`Correlation id: ${error.correlationId}\n`);
  if (error.next) stderr.write(`Next: ${error.next}\n`);
  return error.exitCode;
}

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
