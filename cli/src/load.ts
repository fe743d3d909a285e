import type { CommandSpec, Run } from './command.ts';

/** What a command does: its own code, or the call that the table says. */
export const loadCommand = async (command: CommandSpec): Promise<Run> =>
  command.load ? command.load(command) : (await import('./commands/declared.ts')).declared(command);
