import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everyFlag } from './command.ts';
import { commands, findCommand, nearest } from './commands.ts';
import { readGiven } from './input/given.ts';
import { loadCommand } from './load.ts';
import { rehearse } from './testing.ts';

/** Words as a shell would give them, as far as examples need one. */
const wordsOf = (line: string): string[] =>
  [
    ...line
      .replace(/^\w+=\$\((.*)\)$/, '$1')
      .replace(/ [<>] .*$/, '')
      .matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g),
  ].map(([, single, double, bare]) => single ?? double ?? bare ?? '');

describe('the table of commands', () => {
  it('has each name once', () => {
    const names = commands.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(commands.map((command) => [command.name, command] as const))('%s is whole', async (name, command) => {
    expect(await loadCommand(command)).toBeTypeOf('function');
    expect(command.summary).not.toMatch(/\.$/);
    const flags = { ...everyFlag, ...command.flags };
    // A flag of its own that is called like one of every command would mean two things.
    expect(Object.keys(command.flags ?? {}).filter((flag) => Object.hasOwn(everyFlag, flag))).toEqual([]);
    const shorts = Object.values(flags).flatMap(({ short }) => short ?? []);
    expect(shorts).toEqual([...new Set(shorts)]);
    for (const example of command.examples) {
      const [program, ...words] = wordsOf(example);
      expect(program).toBe('gpuaas');
      expect(findCommand(words)?.command.name).toBe(name);
      const { positionals } = readGiven(command, words.slice(name.split(' ').length));
      const { args: takes = [] } = command;
      expect(positionals.length, example).toBeGreaterThanOrEqual(takes.filter(({ optional }) => !optional).length);
      if (!takes.at(-1)?.rest) expect(positionals.length, example).toBeLessThanOrEqual(takes.length);
    }
  });

  it('is what the first file of the program answers from', async () => {
    const first = readFileSync(new URL('../bin/help.txt', import.meta.url), 'utf8');
    expect((await rehearse(['--help'], {})).out).toBe(first);
    const texts = JSON.parse(readFileSync(new URL('../bin/help.json', import.meta.url), 'utf8')) as {
      groups: Record<string, string>;
      commands: Record<string, string>;
    };
    for (const [name, text] of [...Object.entries(texts.groups), ...Object.entries(texts.commands)]) {
      const { code, out } = await rehearse([...name.split(' ').filter(Boolean), '--help'], {});
      expect({ name, code, out }).toEqual({ name, code: 0, out: text });
    }
  });

  it('knows what was meant', () => {
    expect(nearest('lanch')).toContain('launch');
    expect(nearest('lgoin')[0]).toBe('login');
    expect(nearest('aloc list')[0]).toBe('alloc list');
    expect(nearest('foo')).toEqual([]);
    expect(nearest('ops audit list').every((name) => name.startsWith('ops audit '))).toBe(true);
  });
});
