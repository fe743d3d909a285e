import { type Command, everyHelp } from './command.ts';
import { commands } from './commands.ts';

const lines = (pairs: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

export const helpOfAll = (version: string): string => `gpuaas ${version}: the command line of GPUaaS

Usage: gpuaas <command> [options]

Commands:
${lines(Object.entries(commands).map(([name, { summary }]) => [name, summary] as const))}

Options:
${lines([...everyHelp, ['--version', 'show the version']])}

Examples:
  gpuaas login --base-url http://127.0.0.1:8443
  gpuaas whoami
  gpuaas api GET /api/v1/organizations

Environment:
  GPUAAS_BASE_URL, GPUAAS_PROFILE   as the options
  GPUAAS_TOKEN                      use this token instead of a sign-in
  NO_COLOR                          no colours

Exit codes: 0 done, 1 wrong request, 2 server or network, 3 not allowed, 4 not found, 5 conflict
`;

export const helpOf = (name: string, { usage, description, help, examples }: Command): string => `${description}

Usage: gpuaas ${name} ${usage}

Options:
${lines([...help, ...everyHelp])}

Examples:
${examples.map((example) => `  ${example}`).join('\n')}
`;
