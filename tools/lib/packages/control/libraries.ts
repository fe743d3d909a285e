import { readFile, realpath } from 'node:fs/promises';
import { runProgram } from '../../program.ts';
import type { ArchivedFile } from '../tar.ts';

export interface Library {
  readonly file: ArchivedFile;
  /** The Debian package that it came with, and its version. */
  readonly from: { readonly name: string; readonly version: string };
}

/** What glibc opens by itself while a program runs: names are looked up through these. */
const openedLater = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];

/**
 * The shared libraries of the operating system that the given programs and native modules are linked to. An image gets these
 * and nothing else of it. They come from the machine that builds; the bill of materials names their packages and versions.
 */
export async function librariesOf(programs: readonly string[]): Promise<readonly Library[]> {
  const places = new Set<string>();
  for (const program of programs) {
    const { code, stdout } = await runProgram('ldd', [program]);
    if (code !== 0) throw new Error(`ldd cannot read ${program}`);
    if (stdout.includes('not found')) throw new Error(`${program} needs a library that is not here: ${stdout}`);
    for (const [, path = ''] of stdout.matchAll(/(\/\S+) \(0x/g)) places.add(path);
  }
  const [libc = ''] = [...places].filter((path) => path.endsWith('/libc.so.6'));
  for (const name of openedLater) places.add(libc.replace('libc.so.6', name));
  return Promise.all(
    [...places].sort().map(async (path) => {
      const real = await realpath(path);
      return {
        file: { path: path.slice(1), bytes: await readFile(real), mode: 0o755 as const },
        from: await packageOf(path, real),
      };
    }),
  );
}

async function packageOf(path: string, real: string): Promise<Library['from']> {
  for (const each of [path, real, path.replace(/^\/lib/, '/usr/lib'), real.replace(/^\/usr/, '')]) {
    const { code, stdout } = await runProgram('dpkg-query', ['--search', each]);
    if (code !== 0) continue;
    const name = stdout.split(': ')[0]?.split(',')[0] ?? '';
    const about = await runProgram('dpkg-query', ['--show', '--showformat', '$' + '{Version}', name]);
    if (about.code === 0) return { name: name.split(':')[0] ?? name, version: about.stdout };
  }
  throw new Error(`no Debian package brought ${path}: build the image on Debian`);
}
