import type { CommandSpec, Run } from './command.ts';

/** The code of a command: its own, or the declared call. */
export const loadCommand = async (command: CommandSpec): Promise<Run> =>
  command.load ? command.load(command) : (await import('./commands/declared.ts')).declared(command);
