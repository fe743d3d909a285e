import { type CommandSpec, everyFlag, type FlagSpec } from './command.ts';
import { groups } from './commands.ts';
import { exitMeanings } from './failure.ts';

export const lines = (pairs: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

export const usageOf = ({ name, args = [], flags = {} }: CommandSpec): string =>
  [
    `gpuaas ${name}`,
    ...args.map(({ name: arg, optional, rest }) => (optional ? `[${arg}${rest ? '…' : ''}]` : arg)),
    ...(Object.keys(flags).length > 0 ? ['[options]'] : []),
  ].join(' ');

export const flagLines = (flags: Readonly<Record<string, FlagSpec>>): (readonly [string, string])[] =>
  Object.entries(flags).map(([name, { short, value, choices, meaning }]) => [
    `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
    `${meaning}${choices ? ` (${choices.join(', ')})` : ''}`,
  ]);

const environment: readonly (readonly [string, string])[] = [
  ['GPUAAS_BASE_URL', 'the installation'],
  ['GPUAAS_PROFILE', 'the profile'],
  ['GPUAAS_PROJECT', 'the project, by id or slug'],
  ['GPUAAS_REGION', 'the region for launches'],
  ['GPUAAS_OUTPUT', 'output format'],
  ['GPUAAS_DEBUG', 'show the stack of an unexpected error'],
  ['GPUAAS_TOKEN', 'use this token instead of a sign-in'],
  ['NO_COLOR', 'no colors'],
  ['CI', 'never ask questions'],
];

const files: readonly (readonly [string, string])[] = [
  ['.gpuaas.toml', 'profile, project, region and flags of a folder; searched upwards'],
  ['~/.config/gpuaas', 'profiles and sign-ins; XDG_CONFIG_HOME moves it'],
];

export const helpOfAll = (version: string): string => `gpuaas ${version}: the command line of GPUaaS

Usage: gpuaas <command> [options]

${groups
  .map(({ title, commands }) => `${title}:\n${lines(commands.map(({ name, summary }) => [name, summary] as const))}`)
  .join('\n\n')}

Options:
${lines([...flagLines(everyFlag), ['--version', 'show the version']])}

Examples:
  gpuaas login --base-url http://127.0.0.1:8443
  gpuaas sku list
  gpuaas launch h200-sxm-slice --for 3h
  gpuaas launch --help

Environment:
${lines(environment)}

Files:
${lines(files)}

Exit codes:
${lines(exitMeanings.map(([code, meaning]) => [String(code), meaning] as const))}
`;

export const helpOf = (command: CommandSpec): string => {
  const { args = [], flags = {}, examples, summary, description } = command;
  const about = args.length > 0 ? `\nArguments:\n${lines(args.map(({ name, meaning }) => [name, meaning]))}\n` : '';
  return `${description ?? `${summary}.`}

Usage: ${usageOf(command)}
${about}
Options:
${lines([...flagLines(flags), ...flagLines(everyFlag)])}

Examples:
${examples.map((example) => `  ${example}`).join('\n')}
`;
};

/** `gpuaas alloc`: the commands below it. */
export const helpBelow = (
  words: readonly string[],
  below: readonly CommandSpec[],
): string => `Usage: gpuaas ${words.join(' ')} <command>

${lines(below.map(({ name, summary }) => [name, summary] as const))}

Examples:
${below
  .slice(0, 3)
  .map(({ examples }) => `  ${examples[0]}`)
  .join('\n')}
`;
