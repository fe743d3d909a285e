import { everyFlag } from '../../../cli/src/command.ts';
import { findCommand } from '../../../cli/src/commands.ts';
import { type Finding, type Law, lineAt } from '../law.ts';
import { runbooksOf } from './shape.ts';

/** What a page has as code: blocks and spans, each with its place. */
const codeIn = (text: string): readonly { readonly at: number; readonly code: string; readonly isBlock: boolean }[] =>
  [...text.matchAll(/```[a-z]*\n([\s\S]*?)```|`([^`]+)`/g)].map((match) => ({
    at: match.index,
    code: match[1] ?? match[2] ?? '',
    isBlock: match[1] !== undefined,
  }));

/** The words of each `gpuaas …` in a line of a shell, up to what ends it. Texts in quotes are one word. */
const linesOf = (code: string): readonly (readonly string[])[] =>
  [...code.matchAll(/(?:^|[\s($])gpuaas((?:[ \t]+(?:'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"|;&)`]+))+)/gm)].map(
    ([, words = '']) => [...words.matchAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\S+/g)].map(([word]) => word),
  );

function refusal(words: readonly string[]): string | undefined {
  const found = findCommand(words);
  if (found === undefined) return `there is no command gpuaas ${words.slice(0, 3).join(' ')}`;
  const { command, rest } = found;
  const known = new Set([...Object.keys(everyFlag), ...Object.keys(command.flags ?? {})]);
  const shorts = Object.values({ ...everyFlag, ...command.flags }).flatMap(({ short }) => (short ? [short] : []));
  const strange = rest.find((word) =>
    word.startsWith('--')
      ? !known.has(word.slice(2).split('=')[0] ?? '')
      : /^-[a-z]$/.test(word) && !shorts.includes(word.slice(1)),
  );
  if (strange !== undefined) return `gpuaas ${command.name} has no option ${strange}`;
  // A word behind the name that is no value: an argument where the command takes none is another command, mistyped.
  const takesNone = (command.args ?? []).length === 0 && rest[0] !== undefined && !rest[0].startsWith('-');
  return takesNone ? `gpuaas ${command.name} takes no argument ${rest[0]}` : undefined;
}

/** A command of a runbook is typed at night, by a person who has no time to find out what it was called. */
export const runbooksTypeKnownCommands: Law = {
  name: 'runbooks-type-known-commands',
  find: (tree) =>
    runbooksOf(tree).flatMap((path) => {
      const text = tree.text(path);
      return codeIn(text).flatMap(({ at, code }) =>
        linesOf(code).flatMap((words): Finding[] => {
          const message = refusal(words);
          return message === undefined
            ? []
            : [{ path, line: lineAt(text, at), law: 'runbooks-type-known-commands', message }];
        }),
      );
    }),
};

const isSql = (code: string): boolean =>
  /\bpsql\b|\bselect\s+pg_|\b(?:select\s.*\sfrom|update\s+\w+\s+set|delete\s+from|insert\s+into)\b/is.test(code);

/**
 * SQL by hand goes around audit, checks and roles. Where there is no other way, the words before it name what the API lacks, so that
 * the list of them is the list of what to build.
 */
export const runbooksNameMissingApis: Law = {
  name: 'runbooks-name-missing-apis',
  find: (tree) =>
    runbooksOf(tree).flatMap((path) => {
      const text = tree.text(path);
      return codeIn(text).flatMap(({ at, code }): Finding[] => {
        if (!isSql(code)) return [];
        // The sentence that leads to it: its own paragraph, or the one before a block.
        const before =
          text
            .slice(0, at)
            .trimEnd()
            .split(/\n\s*\n/)
            .at(-1) ?? '';
        return /\bno API\b/i.test(before)
          ? []
          : [
              {
                path,
                line: lineAt(text, at),
                law: 'runbooks-name-missing-apis',
                message: 'SQL in a runbook: use a command, or say "No API …" before it and what is missing',
              },
            ];
      });
    }),
};
