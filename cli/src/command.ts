import type { Gpuaas, OperationId } from '@gpuaas/sdk';
import type { Profile } from './account/profile.ts';
import type { ProjectFile } from './account/project-file.ts';
import type { ExitCode } from './failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process around a command: handed in, so that a test can be it. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  /** Where it was typed, to look for a project file from. */
  readonly cwd?: () => string;
  /** Calls back when the person wants it to end. */
  once?(signal: 'SIGINT', stop: () => void): unknown;
  /** Time and wire, where they are not the real ones. */
  readonly parts?: {
    readonly fetch?: typeof fetch;
    readonly now?: () => number;
    readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
    readonly newKey?: () => string;
  };
}

export interface Given {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** How what was typed becomes what the API takes. Without one it is the text itself. */
export type Reading =
  | 'number'
  | 'numbers'
  | 'list'
  | 'truth'
  | 'pairs'
  | 'json'
  | 'value'
  | 'money'
  | 'seconds'
  | 'minutes'
  | 'allocation'
  | 'group'
  | 'node'
  | 'slot'
  | 'key'
  | 'keys'
  | 'organization'
  | 'project'
  | 'projects';

export interface FlagSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands behind it in help: `--for TIME`. */
  readonly value?: string;
  /** It may be given more than once. */
  readonly many?: true;
  readonly choices?: readonly string[];
  /** Which field of the operation it fills, by its path; its own name with underscores, unless this says otherwise. */
  readonly field?: string;
  readonly as?: Reading;
  /** The command cannot do without it. */
  readonly needed?: true;
  /** What holds where nothing is said. */
  readonly otherwise?: string | undefined;
  /** Where nothing is said, it is made from this field, in small letters and hyphens. */
  readonly follows?: string;
  readonly meaning: string;
}
export interface ArgSpec {
  readonly name: string;
  readonly optional?: true;
  readonly field?: string;
  readonly as?: Reading;
  readonly meaning: string;
}

/** What a command works with. Everything that costs something is a function, so that nobody pays for what is not used. */
export interface Session {
  readonly given: Given;
  readonly around: Surroundings;
  /** Every command there is, for those that speak of the others. */
  readonly commands: readonly CommandSpec[];
  /** The first argument, the second …; a missing one was refused before. */
  arg(index: number): string;
  text(flag: string): string | undefined;
  list(flag: string): readonly string[];
  is(flag: string): boolean;
  /** What the folder that it was typed in says, if it says anything. */
  readonly file: ProjectFile | undefined;
  now(): number;
  profile(): Promise<Profile>;
  api(): Promise<Gpuaas>;
  /** The project that it is about, by flag, environment, profile or the person's own default. */
  project(): Promise<string>;
  /** Says something to the person; silent with --quiet. */
  say(line: string): void;
}
export type Run = (session: Session) => Promise<ExitCode | undefined>;

/** One command, as data: help, completion and the reference page follow from it; its code is loaded when it is called. */
export interface CommandSpec {
  /** `launch`, `alloc list`, `ops node drain`. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly args?: readonly ArgSpec[];
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  readonly examples: readonly [string, ...string[]];
  /** It changes nothing. */
  readonly reads?: true;
  /** The one operation that it is. Most commands are no more than that, and have no code of their own. */
  readonly operation?: OperationId;
  /** With a flag it is another operation: that of the project, of the organization. */
  readonly instead?: Readonly<Record<string, OperationId>>;
  /** Fields that it always fills, by their paths. */
  readonly gives?: Readonly<Record<string, unknown>>;
  /** What of the answer a table shows, by their paths. */
  readonly columns?: readonly string[];
  /** Where the rows are in the answer (default: data). */
  readonly rows?: string;
  /** What a person reads when there are none. */
  readonly none?: string;
  /** What is asked before it is done; {} is the first argument, and {1} the one after it. */
  readonly asks?: string;
  /** Code of its own, where a call and its answer are not all. */
  readonly load?: (command: CommandSpec) => Promise<Run>;
}
export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandSpec[];
}

export const textOf = (given: Given, name: string): string | undefined => {
  const value = given.values[name];
  return typeof value === 'string' ? value : undefined;
};

export const outputs = ['table', 'json', 'yaml', 'csv', 'ndjson', 'name'] as const;
export type OutputFormat = (typeof outputs)[number];

/** What every command takes. */
export const everyFlag: Readonly<Record<string, FlagSpec>> = {
  output: { type: 'string', short: 'o', value: 'FORMAT', choices: outputs, meaning: 'output format' },
  json: { type: 'boolean', meaning: 'answer in JSON; --json FIELD,… only these fields' },
  jq: { type: 'string', short: 'q', value: 'FILTER', meaning: 'answer what jq makes of the JSON' },
  columns: { type: 'string', value: 'FIELD,…', meaning: 'the columns of a table or of csv' },
  watch: { type: 'boolean', meaning: 'show it again whenever it changes, until it is stopped' },
  project: { type: 'string', short: 'p', value: 'PROJECT', meaning: 'the project, by id or slug' },
  'base-url': { type: 'string', value: 'URL', meaning: 'which installation (default: the one of the last login)' },
  profile: { type: 'string', value: 'NAME', meaning: 'which of several sign-ins to use (default: default)' },
  yes: { type: 'boolean', short: 'y', meaning: 'answer every question with yes' },
  'no-input': { type: 'boolean', meaning: 'ask nothing; fail where an answer is needed' },
  'idempotency-key': { type: 'string', value: 'KEY', meaning: 'repeat a change safely under the same key' },
  'dry-run': { type: 'boolean', meaning: 'stop before the first request that changes something' },
  explain: { type: 'boolean', meaning: 'show each request as a curl command, without the token' },
  debug: { type: 'boolean', short: 'v', meaning: 'show each request with its answer and how long it took' },
  quiet: { type: 'boolean', meaning: 'say nothing but the answer' },
  'no-color': { type: 'boolean', meaning: 'no colours' },
  help: { type: 'boolean', short: 'h', meaning: 'show this' },
};
