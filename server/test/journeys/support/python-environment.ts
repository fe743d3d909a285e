import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../../..');
const sdk = join(root, 'sdk/python');
const patience = 10 * 60_000;
const execute = promisify(execFile);

/** A Python with what the SDK, or another list, needs, in an environment of its own that is kept from run to run. */
export async function makePython(requirements = join(sdk, 'requirements-test.txt')): Promise<string> {
  const wanted = await readFile(requirements);
  const cache = join(root, 'node_modules', '.cache');
  const place = join(cache, `gpuaas-python-${createHash('sha256').update(wanted).digest('hex').slice(0, 16)}`);
  const program = join(place, 'bin', 'python');
  if (await stat(join(place, 'complete')).catch(() => undefined)) return program;
  await rm(place, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  // An environment knows its own path, so it is made where it stays; the mark at the end says that it is whole.
  await execute('python3', ['-m', 'venv', place], { timeout: patience });
  await execute(program, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements], {
    timeout: patience,
  });
  await writeFile(join(place, 'complete'), '');
  return program;
}
