import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Architecture, architectures } from '../agent-package.ts';
import { compression } from '../deb.ts';
import { type ArchivedEntry, makeTar } from '../tar.ts';
import type { Provenance } from './files.ts';

/** The account of the processes in the image. A number, so that Kubernetes can see that it is not root. */
export const imageUser = { name: 'gpuaas', id: 64_738 } as const;

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * An image in the layout of the Open Container Initiative, as one archive (`podman load`, `skopeo copy oci-archive:`). It is
 * written here, without an engine: the same files give the same digest. It has no shell and no package manager.
 */
export function makeImage(order: {
  readonly arch: Architecture;
  readonly provenance: Provenance;
  /** Of the operating system: libraries by path below the root. */
  readonly libraries: readonly ArchivedEntry[];
  /** What lies below /opt/gpuaas. */
  readonly files: readonly ArchivedEntry[];
  readonly seconds: number;
}): { readonly bytes: Buffer; readonly digest: string } {
  const { arch, provenance, seconds } = order;
  const blobs = new Map<string, Buffer>();
  const keep = (mediaType: string, bytes: Buffer) => {
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const tars = [
    makeTar([...order.libraries, ...accounts], { seconds }),
    makeTar(
      order.files.map((file) => ({ ...file, path: `opt/gpuaas/${file.path}` })),
      { seconds },
    ),
  ];
  const layers = tars.map((tar) =>
    keep('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar, { level: compression })),
  );
  const created = new Date(seconds * 1_000).toISOString();
  const config = keep(
    'application/vnd.oci.image.config.v1+json',
    jsonOf({
      created,
      architecture: architectures[arch].debian,
      os: 'linux',
      config: {
        User: `${imageUser.id}:${imageUser.id}`,
        Env: ['PATH=/opt/gpuaas/bin', 'HOME=/tmp', 'TZ=UTC'],
        Entrypoint: [
          '/opt/gpuaas/bin/node',
          '--disable-warning=DeprecationWarning',
          '/opt/gpuaas/server/src/bin/control/main.ts',
        ],
        Cmd: ['--help'],
        WorkingDir: '/opt/gpuaas',
        StopSignal: 'SIGTERM',
        Labels: labelsOf(provenance),
      },
      rootfs: { type: 'layers', diff_ids: tars.map(digestOf) },
      history: [
        { created, created_by: 'libraries of the operating system' },
        { created, created_by: 'npm run package' },
      ],
    }),
  );
  const manifest = keep(
    'application/vnd.oci.image.manifest.v1+json',
    jsonOf({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config,
      layers,
      annotations: labelsOf(provenance),
    }),
  );
  const index = jsonOf({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ ...manifest, annotations: { 'org.opencontainers.image.ref.name': provenance.version } }],
  });
  const entries: ArchivedEntry[] = [
    { path: 'oci-layout', bytes: jsonOf({ imageLayoutVersion: '1.0.0' }), mode: 0o644 },
    { path: 'index.json', bytes: index, mode: 0o644 },
    ...[...blobs].map(
      ([digest, bytes]): ArchivedEntry => ({ path: `blobs/${digest.replace(':', '/')}`, bytes, mode: 0o644 }),
    ),
  ];
  return { bytes: makeTar(entries, { seconds }), digest: manifest.digest };
}

const jsonOf = (value: unknown) => Buffer.from(JSON.stringify(value));

const accounts: readonly ArchivedEntry[] = [
  {
    path: 'etc/passwd',
    bytes: Buffer.from(
      `root:x:0:0:root:/root:/sbin/nologin\n${imageUser.name}:x:${imageUser.id}:${imageUser.id}::/tmp:/sbin/nologin\n`,
    ),
    mode: 0o644,
  },
  { path: 'etc/group', bytes: Buffer.from(`root:x:0:\n${imageUser.name}:x:${imageUser.id}:\n`), mode: 0o644 },
  { path: 'etc/nsswitch.conf', bytes: Buffer.from('hosts: files dns\n'), mode: 0o644 },
  { path: 'tmp', folderMode: 0o1777 },
];

const labelsOf = ({ version, commit }: Provenance) => ({
  'org.opencontainers.image.title': 'GPUaaS control plane',
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': commit,
  'org.opencontainers.image.licenses': 'Apache-2.0',
});
