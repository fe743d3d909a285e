import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTestCode, repositoryPaths, root } from '../../tree.ts';
import { type Architecture, architectures } from '../agent-package.ts';
import type { ArchivedEntry, ArchivedFile } from '../tar.ts';
import { type NeededModule, ourWorkspaces } from './modules.ts';

/** What the sources were: `server/src/bin/release.ts` reads it from `release.json`. */
export interface Provenance {
  readonly version: string;
  /** The commit of the sources. */
  readonly commit: string;
}

/** Sources of the processes, and what they read by path. */
const wanted = new RegExp(
  `^(?:${ourWorkspaces.map((name) => `${name}/(?:src|bin)/`).join('|')}|db/migrations/|db/README\\.md$|deploy/|apps/|api/openapi\\.json$)`,
);
const manifests = [...ourWorkspaces.map((name) => `${name}/package.json`), 'LICENSE'];

/** Everything below /opt/gpuaas, by path: the runtime, our sources, what they need, the console and the pages of the docs. */
export async function controlPlaneFiles(order: {
  readonly arch: Architecture;
  readonly provenance: Provenance;
  readonly modules: readonly NeededModule[];
}): Promise<readonly ArchivedEntry[]> {
  const { arch, modules } = order;
  const paths = repositoryPaths().filter((path) => wanted.test(path) && !isTestCode(path));
  const node = join(root, 'node_modules', `node-linux-${arch}`);
  const files: ArchivedEntry[] = [
    ...(await Promise.all([...manifests, ...paths].map((path) => fileAt(join(root, path), path)))),
    ...(await filesBelow('web/dist')),
    ...(await filesBelow('web/dist-docs')),
    { path: 'release.json', bytes: Buffer.from(`${JSON.stringify(order.provenance)}\n`), mode: 0o644 },
    { path: 'bin/node', bytes: await readFile(join(node, 'bin/node')), mode: 0o755 },
    await fileAt(join(node, 'LICENSE'), 'bin/LICENSE-of-node'),
    await fileAt(join(root, 'deploy/control-plane/gpuaas-control'), 'bin/gpuaas-control', 0o755),
    await fileAt(join(root, 'deploy/control-plane/gpuaas'), 'bin/gpuaas', 0o755),
    // The units and the guides name this path, which a clone has as well.
    { path: 'node_modules/.bin/node', target: '../../bin/node' },
    ...ourWorkspaces.map((name) => ({
      path: `node_modules/@gpuaas/${name.split('/')[0]}`,
      target: `../../${name}`,
    })),
  ];
  for (const { path } of modules) files.push(...(await moduleFiles(path, arch)));
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A package without what is never loaded: other architectures, TypeScript, maps. */
async function moduleFiles(path: string, arch: Architecture): Promise<ArchivedFile[]> {
  const folder = join(root, path);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    // A package inside it counts by itself.
    .filter((name) => !name.startsWith('node_modules/') && !isUnused(path, name, arch));
  return Promise.all(
    names.map(async (name) => {
      const isProgram = name.endsWith('.node') || ((await stat(join(folder, name))).mode & 0o100) !== 0;
      return fileAt(join(folder, name), `${path}/${name}`, isProgram ? 0o755 : 0o644);
    }),
  );
}

function isUnused(path: string, name: string, arch: Architecture): boolean {
  // Node runs no TypeScript that lies in a package.
  if (/\.(?:map|[cm]?ts|tsx)$/.test(name)) return true;
  if (path !== 'node_modules/@temporalio/core-bridge') return false;
  if (name.startsWith('releases/'))
    return !name.startsWith(`releases/${architectures[arch].machine}-unknown-linux-gnu/`);
  return /^(?:sdk-core|src|bridge-macros|scripts|Cargo\.)/.test(name);
}

async function filesBelow(path: string): Promise<ArchivedFile[]> {
  const folder = join(root, path);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new Error(`${path} is not built`);
  });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => fileAt(file, file.slice(root.length + 1))),
  );
}

const fileAt = async (from: string, path: string, mode: 0o644 | 0o755 = 0o644): Promise<ArchivedFile> => ({
  path,
  bytes: await readFile(from),
  mode,
});
