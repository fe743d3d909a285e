import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CommandSpec, Given, Surroundings } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';

/**
 * `.gpuaas.toml` in the working folder or above it: profile, project, region, and default flags of commands. Such a
 * file may come with a foreign repository, so it can only choose among what the person has: it names no installation,
 * answers no question, and switches nothing on.
 */
export interface ProjectFile {
  readonly path: string;
  readonly profile?: string;
  readonly project?: string;
  readonly region?: string;
  readonly output?: string;
  /** Flags by command: `[defaults.launch]` with `for = "3h"`. */
  readonly defaults: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export const projectFileName = '.gpuaas.toml';
const names = ['profile', 'project', 'region', 'output'] as const;

export async function findProjectFile({ cwd }: Pick<Surroundings, 'cwd'>): Promise<ProjectFile | undefined> {
  if (!cwd) return undefined;
  for (let folder = cwd(); ; folder = dirname(folder)) {
    const path = join(folder, projectFileName);
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return readProjectFile(path, text);
    if (dirname(folder) === folder) return undefined;
  }
}

export async function readProjectFile(path: string, text: string): Promise<ProjectFile> {
  const wrong = (what: string) =>
    new Failure(exitCodes.usage, `${path}: ${what}`, { next: 'docs/reference/cli.md lists the allowed settings.' });
  const { parse } = await import('smol-toml');
  let table: Record<string, unknown>;
  try {
    table = parse(text);
  } catch (error) {
    throw wrong(String((error as Error).message.split('\n')[0]));
  }
  const { defaults = {}, ...rest } = table;
  for (const [name, value] of Object.entries(rest)) {
    if (!(names as readonly string[]).includes(name)) throw wrong(`${JSON.stringify(name)} is not a known setting.`);
    if (typeof value !== 'string') throw wrong(`${name} must be a text.`);
  }
  return {
    path,
    ...(rest as Partial<Record<(typeof names)[number], string>>),
    defaults: readDefaults(defaults, wrong),
  };
}

function readDefaults(defaults: unknown, wrong: (what: string) => Failure): ProjectFile['defaults'] {
  const tables = Object.entries(defaults as object).map(([command, flags]) => {
    if (typeof flags !== 'object' || flags === null) throw wrong(`defaults.${command} must be a table of flags.`);
    const pairs = Object.entries(flags as object).map(([flag, value]: [string, unknown]) => {
      const texts = Array.isArray(value) ? value : [value];
      if (!texts.every((each) => typeof each === 'string' || typeof each === 'number')) {
        throw wrong(`defaults.${command}.${flag} must be a text, a number or a list of them.`);
      }
      return [flag, Array.isArray(value) ? value.map(String) : String(value)] as const;
    });
    return [command, Object.fromEntries(pairs)] as const;
  });
  return Object.fromEntries(tables);
}

/** The typed flags, with the defaults of the file. Only flags that take a value: the file switches nothing on. */
export function withDefaults(command: CommandSpec, given: Given, file: ProjectFile | undefined): Given {
  const own = file && Object.hasOwn(file.defaults, command.name) ? file.defaults[command.name] : undefined;
  if (!own) return given;
  const values = { ...given.values };
  for (const [name, value] of Object.entries(own)) {
    const flag = command.flags?.[name];
    if (flag?.type !== 'string') {
      throw new Failure(exitCodes.usage, `${file?.path}: gpuaas ${command.name} has no --${name} that takes a value.`, {
        next: `gpuaas ${command.name} --help shows what it takes.`,
      });
    }
    if (values[name] === undefined) values[name] = flag.many && !Array.isArray(value) ? [value as string] : value;
  }
  return { ...given, values };
}
