import { parseArgs } from 'node:util';
import type { Environment } from '../../kernel/process/config.ts';
import { findDamage, readManifest } from '../backup/folder.ts';

const usage = `Compares a backup with its manifest: every file is there and is what was written.

  gpuaas-control verify FOLDER
`;

/** Answers the exit code. */
export async function runVerify(
  args: readonly string[],
  _env: Environment,
  to: { readonly say: (text: string) => void; readonly complain: (text: string) => void },
): Promise<0 | 1> {
  try {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0) throw new Error(usage);
    const manifest = await readManifest(folder);
    const damage = await findDamage(folder, manifest);
    if (damage.length > 0) throw new Error(`${folder} is damaged. Use another backup.\n${damage.join('\n')}`);
    to.say(
      `${folder} is whole: the state of ${manifest.takenAt}, release ${manifest.version}, migration ${manifest.migration.number}, ${manifest.objects.length} objects.\n`,
    );
    return 0;
  } catch (error) {
    to.complain(`${(error as Error).message}\n`);
    return 1;
  }
}
