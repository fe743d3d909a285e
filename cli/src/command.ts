import type { Gpuaas, OperationId } from '@gpuaas/sdk';
import type { Profile } from './account/profile.ts';
import type { ProjectFile } from './account/project-file.ts';
import type { ExitCode } from './failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process around a command, as a parameter for tests. */
export interface Surroundings {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  /** The working folder, to search a project file from. */
  readonly cwd?: () => string;
  /** Called when the person interrupts. */
  once?(signal: 'SIGINT', stop: () => void): unknown;
  /** Clock and network, for tests. */
  readonly parts?: {
    readonly fetch?: typeof fetch;
    readonly now?: () => number;
    readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
    readonly newKey?: () => string;
    readonly WebSocket?: typeof WebSocket;
  };
}

export interface Given {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Converts the typed text for the API. Without one it is the text itself. */
export type Reading =
  | 'number'
  | 'numbers'
  | 'list'
  | 'truth'
  | 'pairs'
  | 'json'
  | 'value'
  | 'money'
  /** A decimal amount for a field of minor units; its currency is that of the command. */
  | 'amount'
  | 'seconds'
  | 'minutes'
  | 'allocation'
  /** An app of the catalog, by id or publisher/slug. */
  | 'app'
  | 'group'
  | 'node'
  | 'slot'
  | 'key'
  | 'keys'
  /** Any organization, by id or slug, for finance. */
  | 'account'
  | 'organization'
  | 'project'
  | 'projects';

export interface FlagSpec {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** The placeholder in help: `--for TIME`. */
  readonly value?: string;
  /** It may be given more than once. */
  readonly many?: true;
  readonly choices?: readonly string[];
  /** The field of the operation that it fills, by path; default: its own name with underscores. */
  readonly field?: string;
  readonly as?: Reading;
  /** The command requires it. */
  readonly needed?: true;
  /** The default value. */
  readonly otherwise?: string | undefined;
  /** By default it is derived from this field, in lower case and hyphens. */
  readonly follows?: string;
  readonly meaning: string;
}
export interface ArgSpec {
  readonly name: string;
  readonly optional?: true;
  /** Takes every word that is left; only the last argument can. */
  readonly rest?: true;
  readonly field?: string;
  readonly as?: Reading;
  readonly meaning: string;
}

/** What a command works with. Everything expensive is a function that runs on first use. */
export interface Session {
  readonly given: Given;
  readonly around: Surroundings;
  /** Every command, for those that list the others. */
  readonly commands: readonly CommandSpec[];
  /** The positional arguments; a missing one was refused before. */
  arg(index: number): string;
  text(flag: string): string | undefined;
  list(flag: string): readonly string[];
  is(flag: string): boolean;
  /** The project file of the working folder, if any. */
  readonly file: ProjectFile | undefined;
  now(): number;
  profile(): Promise<Profile>;
  api(): Promise<Gpuaas>;
  /** The project by flag, environment, profile or the person's default. */
  project(): Promise<string>;
  /** Prints a note for the person; silent with --quiet. */
  say(line: string): void;
}
export type Run = (session: Session) => Promise<ExitCode | undefined>;

/**
 * One command as data: help, completion and the reference page follow from it. Its code is loaded when it is called.
 */
export interface CommandSpec {
  /** `launch`, `alloc list`, `ops node drain`. */
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly args?: readonly ArgSpec[];
  readonly flags?: Readonly<Record<string, FlagSpec>>;
  readonly examples: readonly [string, ...string[]];
  /** It only reads. */
  readonly reads?: true;
  /** In a terminal it repeats by itself, as with --watch. */
  readonly live?: true;
  /** The operation that it calls. Most commands are one operation and need no code. */
  readonly operation?: OperationId;
  /** A flag that switches to another operation: that of the project, of the organization. */
  readonly instead?: Readonly<Record<string, OperationId>>;
  /** Constant fields, by path. */
  readonly gives?: Readonly<Record<string, unknown>>;
  /** The columns of a table, by path. */
  readonly columns?: readonly string[];
  /** Where the rows are in the answer (default: data). */
  readonly rows?: string;
  /** The text for an empty list. */
  readonly none?: string;
  /** The question before it is done; {} is the first argument, and {1} the second. */
  readonly asks?: string;
  /** Code of its own, where a call and its answer do not suffice. */
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

/** The options of every command. */
export const everyFlag: Readonly<Record<string, FlagSpec>> = {
  output: { type: 'string', short: 'o', value: 'FORMAT', choices: outputs, meaning: 'output format' },
  json: { type: 'boolean', meaning: 'print JSON; --json FIELD,… only these fields' },
  jq: { type: 'string', short: 'q', value: 'FILTER', meaning: 'filter the JSON with jq' },
  columns: { type: 'string', value: 'FIELD,…', meaning: 'the columns of a table or of csv' },
  watch: { type: 'boolean', meaning: 'refresh the output when it changes, until interrupted' },
  project: { type: 'string', short: 'p', value: 'PROJECT', meaning: 'the project, by id or slug' },
  'base-url': { type: 'string', value: 'URL', meaning: 'which installation (default: the one of the last login)' },
  profile: { type: 'string', value: 'NAME', meaning: 'which of several sign-ins to use (default: default)' },
  yes: { type: 'boolean', short: 'y', meaning: 'answer every question with yes' },
  'no-input': { type: 'boolean', meaning: 'never ask; fail where an answer is needed' },
  'idempotency-key': {
    type: 'string',
    value: 'KEY',
    meaning: 'idempotency key: repeat a change safely with the same key',
  },
  'dry-run': { type: 'boolean', meaning: 'stop before the first request that changes something' },
  explain: { type: 'boolean', meaning: 'show each request as a curl command, without the token' },
  debug: { type: 'boolean', short: 'v', meaning: 'show each request with its answer and how long it took' },
  quiet: { type: 'boolean', meaning: 'print only the answer' },
  'no-color': { type: 'boolean', meaning: 'no colors' },
  help: { type: 'boolean', short: 'h', meaning: 'show this help' },
};
