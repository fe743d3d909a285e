import type { ParseArgsConfig } from 'node:util';
import type { ExitCode } from './failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process around a command: handed in, so that a test can be it. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

type Options = NonNullable<ParseArgsConfig['options']>;
export interface Given {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** One command in a module of its own, loaded when it is called. */
export interface Command {
  /** Behind the name: what it takes. */
  readonly usage: string;
  readonly description: string;
  readonly options: Options;
  /** One line for each option of its own. */
  readonly help: readonly (readonly [option: string, meaning: string])[];
  readonly examples: readonly string[];
  run(given: Given, around: Surroundings): Promise<ExitCode>;
}

/** What every command takes. */
export const everyOption: Options = {
  help: { type: 'boolean', short: 'h' },
  'base-url': { type: 'string' },
  profile: { type: 'string' },
  json: { type: 'boolean' },
};
export const everyHelp: Command['help'] = [
  ['--base-url URL', 'which installation (default: the one of the last login)'],
  ['--profile NAME', 'which of several sign-ins to use (default: default)'],
  ['--json', 'answer in JSON'],
  ['-h, --help', 'show this'],
];

export const textOf = (given: Given, name: string): string | undefined => {
  const value = given.values[name];
  return typeof value === 'string' ? value : undefined;
};
