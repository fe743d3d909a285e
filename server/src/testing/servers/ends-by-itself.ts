import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const life = fileURLToPath(new URL('./open-and-close.ts', import.meta.url));

/**
 * Resolves when a process that opened, used and closed the adapter has ended because it had nothing left to do, and
 * rejects when it failed or had to be killed.
 */
export async function endsByItself(openFile: string, opener: string, config: object): Promise<void> {
  await run(process.execPath, [life, openFile, opener, JSON.stringify(config)], {
    timeout: 10_000,
    killSignal: 'SIGKILL',
  });
}
