import { type OperationId, operations, placeOf } from '@gpuaas/sdk';
import { quoteForShell, writeCommandLine } from './command-line.ts';

/** The current screen as a call for the command line or an SDK. */
export interface Shown {
  readonly operation: OperationId;
  readonly input?: Readonly<Record<string, unknown>>;
}
export interface Snippets {
  readonly cli: string;
  readonly curl: string;
  readonly typescript: string;
  readonly python: string;
}

interface Facts {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly bare?: true;
  readonly keyed?: true;
  readonly inProject?: true;
  readonly paged?: true;
}

/** Where the operation goes, with its values in their places. */
function addressOf(facts: Facts, input: Readonly<Record<string, unknown>>): { path: string; body: object | undefined } {
  const rest: Record<string, unknown> = { ...input };
  const path = facts.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value ?? name.toUpperCase()));
  });
  const query = new URLSearchParams();
  for (const name of facts.query ?? []) {
    if (rest[name] !== undefined && rest[name] !== '') query.set(name, String(rest[name]));
    delete rest[name];
  }
  const hasBody = facts.method !== 'GET' && facts.method !== 'DELETE';
  return { path: query.size > 0 ? `${path}?${query}` : path, body: hasBody ? rest : undefined };
}

const methodOf = (operation: OperationId): string => placeOf(operation).join('.');

export function writeSnippets({ operation, input = {} }: Shown, origin: string, project: string | undefined): Snippets {
  const facts: Facts = operations[operation];
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const { path, body } = addressOf(facts, given);
  const inProject = facts.inProject && project ? project : undefined;
  const json = body && JSON.stringify(body);
  const cli = writeCommandLine(operation, given, inProject) ?? [
    `npx gpuaas api ${facts.method} ${quoteForShell(path)}`,
    ...(inProject ? [`--project ${inProject}`] : []),
    ...(json ? [`--body ${quoteForShell(json)}`] : []),
  ];
  const curl = [
    `curl -sS${facts.method === 'GET' ? '' : ` -X ${facts.method}`} ${quoteForShell(origin + path)}`,
    `-H "Authorization: Bearer $GPUAAS_TOKEN"`,
    ...(inProject ? [`-H 'X-Project-ID: ${inProject}'`] : []),
    ...(facts.keyed ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(json ? [`-H 'Content-Type: application/json'`, `-d ${quoteForShell(json)}`] : []),
  ];
  const call = `gpuaas.${methodOf(operation)}(${facts.bare || Object.keys(given).length === 0 ? '' : JSON.stringify(given, undefined, 2)})`;
  const typescript = [
    `import { openGpuaas } from '@gpuaas/sdk';`,
    '',
    'const gpuaas = openGpuaas({',
    `  baseUrl: '${origin}',`,
    '  token: process.env.GPUAAS_TOKEN,',
    ...(inProject ? [`  project: '${inProject}',`] : []),
    '});',
    ...(facts.paged
      ? [`for await (const item of ${call}) {`, '  console.log(item);', '}']
      : [`console.log(await ${call});`]),
  ];
  const python = [
    'from gpuaas import GPUaaS  # the token comes from GPUAAS_TOKEN',
    '',
    `with GPUaaS("${origin}"${inProject ? `, project="${inProject}"` : ''}) as gpu:`,
    ...(facts.paged
      ? [`    for item in ${pythonCall(operation, given)}:`, '        print(item)']
      : [`    print(${pythonCall(operation, given)})`]),
  ];
  return {
    python: python.join('\n'),
    cli: cli.join(' \\\n  '),
    curl: curl.join(' \\\n  '),
    typescript: typescript.join('\n'),
  };
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** JSON is nearly Python: three words differ, and they only stand outside of quotes. */
const pythonValue = (value: unknown): string => {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${pythonValue(inner)}`);
    return `{${entries.join(', ')}}`;
  }
  return JSON.stringify(value);
};
const pythonCall = (operation: OperationId, given: Readonly<Record<string, unknown>>): string =>
  `gpu.${snake(methodOf(operation))}(${Object.entries(given)
    .map(([name, value]) => `${name}=${pythonValue(value)}`)
    .join(', ')})`;
