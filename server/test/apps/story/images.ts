import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toolCache } from '../../../src/testing/servers/start.ts';

/**
 * Images of stock apps, as their recipes make them: Debian by mmdebstrap, and packages of PyPI. Building needs a network, so what was built is
 * kept, by what it was built from. Only root can unpack a system.
 */
const run = promisify(execFile);
const patience = { timeout: 15 * 60_000, maxBuffer: 16 * 1_024 ** 2 };
const apps = join(import.meta.dirname, '../../../../apps');
const release = 'bookworm';
const packages = 'python3,python3-venv,ca-certificates';
/** What a build on this machine trusts: an installation may reach PyPI through an authority of its own. */
const certificates = '/etc/ssl/certs';

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Debian as an archive, with what every recipe would install first. */
async function makeBase(): Promise<string> {
  const file = join(toolCache, `debian-${release}-${process.arch}.tar`);
  if (await isThere(file)) return file;
  await mkdir(toolCache, { recursive: true });
  const words = ['--variant=minbase', '--mode=root', `--include=${packages}`, '--quiet', release, `${file}.part.tar`];
  await run('mmdebstrap', words, patience);
  await rename(`${file}.part.tar`, file);
  return file;
}

/** The image of a stock app in a folder of the OCI layout, under the tag 1. */
export async function buildImage(app: string): Promise<string> {
  const from = join(apps, app);
  const recipe = (await readdir(from)).filter((name) => name !== 'app.yaml').sort();
  const key = createHash('sha256').update(`${release} ${packages} ${process.arch}`);
  for (const name of recipe) key.update(`\0${name}\0`).update(await readFile(join(from, name)));
  const image = join(toolCache, `app-${app}-${key.digest('hex').slice(0, 16)}`);
  if (await isThere(image)) return image;
  const base = await makeBase();
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-build-'));
  const podman = (...words: string[]) =>
    run(
      'podman',
      [
        ...[`--root=${folder}/storage`, `--runroot=${folder}/run`, '--storage-driver=overlay'],
        ...['--cgroup-manager=cgroupfs', '--events-backend=none', ...words],
      ],
      patience,
    );
  try {
    await writeFile(join(folder, 'pip.conf'), `[global]\ncert = ${certificates}/ca-certificates.crt\n`);
    await podman('import', '--quiet', base, 'localhost/base:1');
    await podman(
      ...['build', '--quiet', '--isolation=chroot', '--network=host', '--build-arg=BASE=localhost/base:1'],
      ...[`--volume=${certificates}:${certificates}:ro`, `--volume=${folder}/pip.conf:/etc/pip.conf:ro`],
      ...['--tag=localhost/app:1', from],
    );
    await podman('push', '--quiet', 'localhost/app:1', `oci:${image}.part:1`);
    await rename(`${image}.part`, image);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return image;
}
