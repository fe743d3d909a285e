import { posix } from 'node:path';
import { isForTests, isSource, isTestCode, type Tree } from '../lib/tree.ts';
import { type Finding, type Law, lineAt, type Node, parse, walk } from './law.ts';

/**
 * The walls that need to know where an import leads. Biome sees the words of an import, not the file behind it, so it
 * cannot tell `../rules.ts` (ours) from `../tenancy/rules.ts` (theirs) in every folder; this law resolves the path
 * first. What Biome can say it says in biome.jsonc, while people type.
 */
export interface Import {
  readonly from: string;
  /** A path of the tree for a relative import, else the package's name. */
  readonly to: string;
  readonly isRelative: boolean;
  readonly isTypeOnly: boolean;
  readonly line: number;
}

export function importsOf(tree: Tree, path: string): Import[] {
  const text = tree.text(path);
  const imports: Import[] = [];
  for (const { node } of walk(parse(tree, path) as unknown as Node)) {
    const source = node['source'];
    const reaches = /^(?:ImportDeclaration|ExportNamedDeclaration|ExportAllDeclaration|ImportExpression)$/;
    if (!reaches.test(node.type) || typeof source !== 'object' || source === null) continue;
    const value = (source as { readonly value?: unknown }).value;
    if (typeof value !== 'string') continue;
    const isRelative = value.startsWith('.');
    imports.push({
      from: path,
      to: isRelative ? posix.normalize(posix.join(posix.dirname(path), value)) : packageOf(value),
      isRelative,
      isTypeOnly: node['importKind'] === 'type' || node['exportKind'] === 'type',
      line: lineAt(text, node.start),
    });
  }
  return imports;
}

const packageOf = (specifier: string): string =>
  specifier.startsWith('node:')
    ? specifier
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');

/** Which folders may import a driver. One outside thing, one place that knows it. */
export const driverHomes: Readonly<Record<string, readonly string[]>> = {
  pg: ['server/src/ports', 'server/src/testing', 'tools'],
  kysely: ['server/src/ports/database', 'server/src/domains'],
  fastify: ['server/src/edge', 'server/src/kernel/telemetry/health', 'server/src/bin'],
  ioredis: ['server/src/ports/cache'],
  '@nats-io/jetstream': ['server/src/ports/bus'],
  '@nats-io/transport-node': ['server/src/ports/bus'],
  'graphile-worker': ['server/src/ports/bus'],
  '@dbos-inc/dbos-sdk': [],
  '@temporalio/activity': ['server/src/ports/sagas'],
  '@temporalio/client': ['server/src/ports/sagas', 'server/src/testing'],
  '@temporalio/common': ['server/src/ports/sagas'],
  '@temporalio/worker': ['server/src/ports/sagas'],
  '@temporalio/workflow': ['server/src/ports/sagas'],
  '@aws-sdk/client-s3': ['server/src/ports/objects', 'server/src/ports/storage', 'server/src/testing'],
  '@aws-sdk/lib-storage': ['server/src/ports/objects'],
  '@smithy/signature-v4': ['server/src/ports/storage'],
  nodemailer: ['server/src/ports/mail'],
  '@lydell/node-pty': ['agent/src/host'],
  '@peculiar/x509': ['server/src/ports/certificates', 'agent'],
  'reflect-metadata': ['server/src/ports/certificates', 'agent'],
  'pg-boss': ['server/src/ports/bus'],
  'oidc-provider': ['server/src/ports/identity-provider'],
  stripe: ['server/src/ports/payments'],
  // The one file of simulated containers echoes what a WebSocket brings, over connections in memory.
  ws: ['server/src/edge/terminal', 'agent/src/terminal', 'agent/src/host/simulated/containers/apps', 'cli/src'],
};

/** `server/src/domains/tenancy` of any file in it. */
const roomOf = (path: string, kind: 'domains' | 'ports'): string | undefined =>
  new RegExp(`^server/src/${kind}/[^/]+(?=/)`).exec(path)?.[0];

/** What is wrong with an import, in a sentence; nothing when it is fine. */
export function judge(found: Import): string | undefined {
  const { from, to } = found;
  // Benches and chaos start real servers, as tests do.
  if (isForTests(to) && !isTestCode(from) && !from.startsWith('tools/'))
    return `${to} is made for tests; only tests import it`;
  if (/^server\/src\/bin\//.test(to) && !/^(?:server\/src\/bin|tools|server\/test)\//.test(from) && !isTestCode(from)) {
    return 'nothing imports a process; move what is shared into a domain or the kernel';
  }
  if (from.startsWith('contract/') && found.isRelative && !to.startsWith('contract/')) {
    return 'the contract stands alone; it imports nothing of the programs that keep it';
  }
  if (from.startsWith('server/src/') && !isTestCode(from) && to.startsWith('tools/'))
    return 'tools look at the server, never the other way';

  const [ours, theirs] = [roomOf(from, 'domains'), roomOf(to, 'domains')];
  if (theirs !== undefined && ours !== theirs) {
    if (from.startsWith('server/src/kernel/')) return 'the kernel knows no domain';
    if (from.startsWith('server/src/ports/')) return 'a port knows no domain';
    if (to !== `${theirs}/index.ts` && !(isForTests(to) && isTestCode(from)) && !isTestCode(from)) {
      return `enter ${theirs} through its door, index.ts`;
    }
  }
  const [ourPort, theirPort] = [roomOf(from, 'ports'), roomOf(to, 'ports')];
  if (ourPort !== undefined && theirPort !== undefined && ourPort !== theirPort && !isTestCode(from)) {
    const isDoor = to === `${theirPort}/port.ts`;
    if (!isDoor)
      return `an adapter does not lean on another port's adapter; ${theirPort}/port.ts says what may be asked`;
  }
  // A bench compares us with the bare library.
  if (!found.isRelative && !isTestCode(from) && !from.startsWith('tools/bench/')) {
    const homes = driverHomes[to];
    if (homes !== undefined && !homes.some((home) => from.startsWith(`${home}/`) || from === `${home}.ts`)) {
      return `${to} is known in ${homes.join(', ')} only; ask for a port instead`;
    }
  }
  return undefined;
}

export const walls: Law = {
  name: 'wall',
  find: (tree) =>
    tree.paths
      .filter((path) => isSource(path))
      .flatMap((path) => importsOf(tree, path))
      .flatMap((found): Finding[] => {
        const message = judge(found);
        return message === undefined ? [] : [{ path: found.from, line: found.line, law: 'wall', message }];
      }),
};
