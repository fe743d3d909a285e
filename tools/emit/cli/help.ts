import { commands, commandsBelow } from '../../../cli/src/commands.ts';
import { helpBelow, helpOf, helpOfAll } from '../../../cli/src/help.ts';

/** The first page of help, ready to be printed by a program that has loaded nothing at all. */
export const emitCliFirstHelp = ({ version }: { readonly version: string }): string => helpOfAll(version);

/** Every other help text. */
export function emitCliHelp(): string {
  const beginnings = new Set(
    commands.flatMap(({ name }) => {
      const words = name.split(' ');
      return words.slice(1).map((_, index) => words.slice(0, index + 1).join(' '));
    }),
  );
  const groups = [...beginnings].map((name) => [name, helpBelow(name.split(' '), commandsBelow(name.split(' ')))]);
  const texts = {
    groups: Object.fromEntries(groups) as Record<string, string>,
    commands: Object.fromEntries(commands.map((command) => [command.name, helpOf(command)])),
  };
  return `${JSON.stringify(texts, undefined, 2)}\n`;
}
