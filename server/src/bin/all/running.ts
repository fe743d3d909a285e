import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Records where this start runs, for a command line on the same machine: its data folder may be a temporary one, and
 * its port any. Readers check whether the process still runs. The latest start wins.
 */
export async function announceRunning(env: NodeJS.ProcessEnv, url: string): Promise<() => Promise<void>> {
  const home = env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share');
  const path = join(home, 'gpuaas', 'running.json');
  const text = JSON.stringify({ url, pid: process.pid });
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o711 });
    await writeFile(path, text);
  } catch {
    // A home that cannot be written to costs a convenience: --base-url names the address as well.
    return async () => undefined;
  }
  return async () => {
    if ((await readFile(path, 'utf8').catch(() => '')) === text) await rm(path, { force: true });
  };
}
