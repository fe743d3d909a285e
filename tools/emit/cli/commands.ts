import { type CommandSpec, everyFlag } from '../../../cli/src/command.ts';
import { commands } from '../../../cli/src/commands.ts';
import { fieldOf } from '../../../cli/src/input/read-input.ts';
import { type OpenApi, type Operation, operationsOf } from '../sdk/schema.ts';

/** How an operation is typed: which words, and which argument or flag takes which field, read in which way. */
interface CommandLine {
  readonly words: string;
  readonly args: readonly (readonly [field: string, as?: string])[];
  readonly flags: Readonly<Record<string, readonly [flag: string, as?: string]>>;
  readonly gives?: Readonly<Record<string, unknown>>;
}

/** Which command is which operation, from the same table as the commands themselves. */
export function commandLinesOf(document: OpenApi): ReadonlyMap<string, CommandLine> {
  const operations = new Map(operationsOf(document).map((each) => [each.id, each]));
  const lines = new Map<string, CommandLine>();
  for (const command of commands) {
    const { operation, instead = {} } = command;
    for (const [id, flag] of [
      [operation, undefined],
      ...Object.entries(instead).map(([flag, other]) => [other, flag]),
    ]) {
      const found = id === undefined ? undefined : operations.get(id);
      // Another contract than ours has other operations; ours has them all, or the table would not compile.
      if (id !== undefined && found && !lines.has(id)) lines.set(id, lineOf(command, found, flag));
    }
  }
  return lines;
}

function lineOf(command: CommandSpec, operation: Operation, chosen: string | undefined): CommandLine {
  const { name, args = [], flags = {}, gives, instead = {} } = command;
  const fields = new Set([...operation.params, ...operation.query, ...operation.body].map((field) => field.name));
  const has = (path: string) => fields.has(path.split('.')[0] ?? path);
  const isSwitch = chosen !== undefined && { ...everyFlag, ...flags }[chosen]?.type === 'boolean';
  const taken = Object.entries(flags).flatMap(([flag, { field, as, type, many }]) => {
    const path = fieldOf(flag, field);
    // What chooses another operation fills nothing of this one.
    if (Object.hasOwn(instead, flag) && (type === 'boolean' || flag !== chosen)) return [];
    if (!has(path)) {
      // Its own code may take more than the operation does; what has no code may not.
      if (command.load || path === 'organization_id' || path === 'limit') return [];
      throw new Error(`gpuaas ${name} --${flag} fills ${path}, which ${operation.id} does not take`);
    }
    const way = type === 'boolean' ? 'flag' : many ? `${as ?? 'text'}*` : as;
    return [[path, pairOf(flag, way)] as const];
  });
  return {
    words: isSwitch ? `${name} --${chosen}` : name,
    args: args.flatMap(({ field, as }) => (field !== undefined && has(field) ? [pairOf(field, as)] : [])),
    flags: Object.fromEntries(taken),
    ...(gives && { gives }),
  };
}

const pairOf = (name: string, as: string | undefined): readonly [string, string?] =>
  as === undefined ? [name] : [name, as];

/** The table for the console, which shows the current screen as a command. */
export function emitCommandLines(document: OpenApi): string {
  const rows = [...commandLinesOf(document)].map(([id, line]) => `  ${id}: ${JSON.stringify(line)},\n`);
  return `// Emitted from the table of commands by \`npm run gen\`; changes are lost.
import type { OperationId } from '@gpuaas/sdk';

/** How an operation is typed: which words, and which argument or flag takes which field, read in which way. */
export interface CommandLine {
  readonly words: string;
  readonly args: readonly (readonly [field: string, as?: string])[];
  readonly flags: Readonly<Record<string, readonly [flag: string, as?: string]>>;
  readonly gives?: Readonly<Record<string, unknown>>;
}

export const commandLines: Readonly<Partial<Record<OperationId, CommandLine>>> = {
${rows.join('')}};
`;
}
