import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../tree.ts';
import { compression, makeDeb } from './deb.ts';
import { type ArchivedFile, makeTar } from './tar.ts';

/** An architecture by Node's name for it, and by those of the kernel and of Debian. */
export const architectures = {
  x64: { machine: 'x86_64', debian: 'amd64' },
  arm64: { machine: 'aarch64', debian: 'arm64' },
} as const;
export type Architecture = keyof typeof architectures;

export interface AgentPackageOrder {
  readonly version: string;
  readonly arch: Architecture;
  /** The bundled agent. */
  readonly bundle: Buffer;
  /** The Node runtime, and its licence. */
  readonly runtime: Buffer;
  readonly runtimeLicence: Buffer;
  /** One of the two alone; both when it is left out. */
  readonly only?: PackageKind;
}
export type PackageKind = 'tarball' | 'deb';
export interface AgentPackage {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The time of every file in a package: the time of building would make each build another package. */
export const usualSeconds = Date.UTC(2026, 0, 1) / 1_000;
const home = 'usr/lib/gpuaas';
export const versionPattern = /^\d[0-9A-Za-z.+]{0,40}(?:-[0-9A-Za-z.+]{1,20})?$/;
const modules = join(root, 'node_modules');
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** The agent with everything it needs but an operating system, as an archive with a script and as a Debian package. */
export async function makeAgentPackages(order: AgentPackageOrder): Promise<readonly AgentPackage[]> {
  if (!versionPattern.test(order.version)) {
    throw new Error(`${order.version} is not a version of a package: write one such as 1.4.0`);
  }
  const files = await installedFiles(order);
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] ?? usualSeconds);
  const base = `gpuaas-node-agent-${order.version}-linux-${order.arch}`;
  const sums = files.map(({ path, bytes }) => `${digestOf(bytes)}  root/${path}\n`).join('');
  const archive: ArchivedFile[] = [
    { path: 'install.sh', bytes: await deployed('install.sh'), mode: 0o755 },
    { path: 'machine', bytes: Buffer.from(`${architectures[order.arch].machine}\n`), mode: 0o644 },
    { path: 'files.sha256', bytes: Buffer.from(sums), mode: 0o644 },
    ...files.map((file) => ({ ...file, path: `root/${file.path}` })),
  ];
  const scripts = await Promise.all(
    ['postinst', 'prerm', 'postrm'].map(async (name) => [name, await deployed(`debian/${name}`)] as const),
  );
  const about = { control: controlOf(order, files), scripts: Object.fromEntries(scripts) };
  const make = {
    tarball: () => ({
      name: `${base}.tar.gz`,
      bytes: gzipSync(makeTar(archive, { seconds, prefix: `${base}/` }), { level: compression }),
    }),
    deb: () => ({ name: `${base}.deb`, bytes: makeDeb({ ...about, files, seconds }) }),
  };
  return (order.only ? [order.only] : (['tarball', 'deb'] as const)).map((kind) => make[kind]());
}

const deployed = (name: string) => readFile(join(root, 'deploy/node-agent', name));

/** Everything that lies on a host afterwards, by path. `files.txt` names all of it, itself included. */
async function installedFiles(order: AgentPackageOrder): Promise<ArchivedFile[]> {
  const unit = await readFile(join(root, 'deploy/systemd/gpuaas-node-agent.service'));
  const files: ArchivedFile[] = [
    { path: 'usr/bin/node-agent', bytes: await deployed('node-agent'), mode: 0o755 },
    { path: `${home}/bin/node`, bytes: order.runtime, mode: 0o755 },
    { path: `${home}/node-agent.mjs`, bytes: order.bundle, mode: 0o755 },
    // Terminals need a native library, which the bundle loads from beside the runtime.
    ...(await moduleFiles('@lydell/node-pty')),
    ...(await moduleFiles(`@lydell/node-pty-linux-${order.arch}`)),
    { path: 'usr/lib/systemd/system/gpuaas-node-agent.service', bytes: unit, mode: 0o644 },
    { path: 'usr/share/doc/gpuaas-node-agent/copyright', bytes: await readFile(join(root, 'LICENSE')), mode: 0o644 },
    { path: 'usr/share/doc/gpuaas-node-agent/copyright.node', bytes: order.runtimeLicence, mode: 0o644 },
  ];
  const list = `${home}/files.txt`;
  const names = [...files.map(({ path }) => path), list].sort();
  return [...files, { path: list, bytes: Buffer.from(`${names.join('\n')}\n`), mode: 0o644 as const }].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

async function moduleFiles(name: string): Promise<ArchivedFile[]> {
  const folder = join(modules, name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new Error(`${name} is not installed here: build the package on a machine of its architecture`);
  });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.map(async (path) => ({
      path: `${home}/node_modules/${path.slice(modules.length + 1)}`,
      bytes: await readFile(path),
      mode: path.endsWith('.node') ? (0o755 as const) : (0o644 as const),
    })),
  );
}

const controlOf = ({ version, arch }: AgentPackageOrder, files: readonly ArchivedFile[]): string =>
  [
    'Package: gpuaas-node-agent',
    `Version: ${version}`,
    `Architecture: ${architectures[arch].debian}`,
    'Maintainer: GPUaaS',
    `Installed-Size: ${Math.ceil(files.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1_024)}`,
    'Depends: libc6 (>= 2.28), libstdc++6, passwd, util-linux',
    'Recommends: openssh-server',
    'Suggests: dnsmasq-base, libvirt-clients, libvirt-daemon-system, nftables, nvme-cli, ovmf, qemu-system-x86, xorriso',
    'Section: admin',
    'Priority: optional',
    'Description: GPUaaS node agent',
    ' Takes signed tasks from the control plane, does them on this host and reports',
    ' what came of them. It dials out and listens on nothing. The Node runtime is included.',
    '',
  ].join('\n');
