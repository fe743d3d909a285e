import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../../tree.ts';
import { type Architecture, architectures, usualSeconds, versionPattern } from '../agent-package.ts';
import { compression, makeDeb } from '../deb.ts';
import { type ArchivedEntry, makeTar } from '../tar.ts';
import { billOf } from './bill.ts';
import { controlPlaneFiles, type Provenance } from './files.ts';
import { makeImage } from './image.ts';
import { librariesOf } from './libraries.ts';
import { neededModules } from './modules.ts';

export const controlKinds = ['tarball', 'deb', 'image', 'bill'] as const;
export type ControlKind = (typeof controlKinds)[number];
export interface ControlArtefact {
  readonly kind: ControlKind;
  readonly name: string;
  readonly bytes: Buffer;
  /** Of the manifest of an image: what a registry and podman call it by. */
  readonly digest?: string;
}

/**
 * The control plane with its runtime: an archive for any Linux with glibc, a Debian package, an image, and what is in them.
 * The same sources give the same bytes on every machine; the image, where the libraries of the system are the same too.
 */
export async function* makeControlPackages(order: {
  readonly arch: Architecture;
  readonly provenance: Provenance;
  readonly kinds: readonly ControlKind[];
}): AsyncGenerator<ControlArtefact> {
  const { arch, provenance, kinds } = order;
  const { version } = provenance;
  if (!versionPattern.test(version)) {
    throw new Error(`${version} is not a version of a package: write one such as 1.4.0`);
  }
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? usualSeconds);
  const modules = neededModules(arch);
  const files = await controlPlaneFiles({ arch, provenance, modules });
  const base = `gpuaas-control-plane-${version}-linux-${arch}`;
  const natives = files.flatMap(({ path }) => (path.endsWith('.node') ? [join(root, path)] : []));
  const libraries = await librariesOf([join(root, `node_modules/node-linux-${arch}/bin/node`), ...natives]);
  if (kinds.includes('tarball')) {
    const tar = makeTar(files, { seconds, prefix: `${base}/` });
    yield { kind: 'tarball', name: `${base}.tar.gz`, bytes: gzipSync(tar, { level: compression }) };
  }
  if (kinds.includes('deb')) {
    const parts = { control: controlOf(version, arch, files), scripts: await debianScripts(), seconds };
    yield { kind: 'deb', name: `${base}.deb`, bytes: makeDeb({ ...parts, files: await installedFiles(files) }) };
  }
  if (kinds.includes('image')) {
    const system = libraries.map(({ file }) => file);
    const { bytes, digest } = makeImage({ arch, provenance, libraries: system, files, seconds });
    yield { kind: 'image', name: `${base}.oci.tar`, bytes, digest };
  }
  if (kinds.includes('bill')) {
    const { version: runtime } = JSON.parse(
      await readFile(join(root, `node_modules/node-linux-${arch}/package.json`), 'utf8'),
    ) as { version: string };
    yield { kind: 'bill', name: `${base}.cdx.json`, bytes: billOf({ provenance, runtime, modules, libraries }) };
  }
}

/** On a Debian machine: the same folder, the units, and the two commands on the path. */
async function installedFiles(files: readonly ArchivedEntry[]): Promise<readonly ArchivedEntry[]> {
  const units = ['gpuaas@.service'];
  return [
    ...files.map((file) => ({ ...file, path: `opt/gpuaas/${file.path}` })),
    { path: 'usr/bin/gpuaas', target: '/opt/gpuaas/bin/gpuaas' },
    { path: 'usr/bin/gpuaas-control', target: '/opt/gpuaas/bin/gpuaas-control' },
    ...(await Promise.all(
      units.map(async (name) => ({
        path: `usr/lib/systemd/system/${name}`,
        bytes: await readFile(join(root, 'deploy/systemd', name)),
        mode: 0o644 as const,
      })),
    )),
    {
      path: 'usr/share/doc/gpuaas-control-plane/copyright',
      bytes: await readFile(join(root, 'LICENSE')),
      mode: 0o644 as const,
    },
  ];
}

async function debianScripts(): Promise<Readonly<Record<string, Buffer>>> {
  const names = ['postinst', 'prerm', 'postrm'];
  const folder = join(root, 'deploy/control-plane/debian');
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
  );
}

const controlOf = (version: string, arch: Architecture, files: readonly ArchivedEntry[]): string =>
  [
    'Package: gpuaas-control-plane',
    `Version: ${version}`,
    `Architecture: ${architectures[arch].debian}`,
    'Maintainer: GPUaaS',
    `Installed-Size: ${Math.ceil(files.reduce((sum, file) => sum + ('bytes' in file ? file.bytes.length : 0), 0) / 1_024)}`,
    'Depends: libc6 (>= 2.28), libstdc++6, passwd',
    'Recommends: postgresql-client',
    'Suggests: postgresql, nats-server, redis-server, nginx',
    'Section: admin',
    'Priority: optional',
    'Description: GPUaaS control plane',
    ' Rents GPU capacity, bills it from an append-only ledger and gives controlled access',
    ' to it: every process, the console, the documentation and the schema. The Node',
    ' runtime is included. Nothing is started before it has settings in /etc/gpuaas.',
    '',
  ].join('\n');
