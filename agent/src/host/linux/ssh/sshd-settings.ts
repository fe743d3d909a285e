import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostFailure } from '../../port.ts';
import { reloadUnit, testSshdSettings } from '../argv.ts';
import { type Commands, complaintOf } from '../commands.ts';
import { entriesIn, hasEntry, textAt } from '../removal/entries.ts';
import { keysFolder } from './authorized-keys.ts';

/** The folder of sshd settings, below the root of the machine. Its files are read in the order of their names. */
const mainFile = 'etc/ssh/sshd_config';
const ownFile = 'etc/ssh/sshd_config.d/10-gpuaas.conf';
/** Debian and Ubuntu call the unit ssh, the others sshd. */
const units = ['ssh.service', 'sshd.service'];

/** sshd reads the keys of tenants from this folder and nowhere else. Operators, in one of these groups, keep their own. */
export const tenantKeyLines = (folder: string): string[] => [
  'Match Group *,!root,!sudo,!wheel,!adm',
  `  AuthorizedKeysFile ${folder}/%u`,
  'Match all',
];

const folder = dirname(`/${ownFile}`);
const ownText = `${[
  '# Written by "node-agent prepare". The agent hands out no login without it.',
  ...tenantKeyLines(`/${keysFolder}`),
].join('\n')}\n`;

/** Whether the settings of sshd include those of the folder. */
async function readsFolder(root: string): Promise<boolean> {
  const includes = /^[ \t]*Include[ \t](.+)$/gim;
  const words = [...(await textAt(join(root, mainFile))).matchAll(includes)].flatMap(([, rest = '']) =>
    rest.trim().split(/\s+/),
  );
  return words.some((word) => word === `${folder}/*.conf` || word === 'sshd_config.d/*.conf');
}

/** Whether `prepareSshd` has done its work, by the files alone. */
export const hasTenantKeyLines = async (root: string): Promise<boolean> =>
  (await readsFolder(root)) && (await textAt(join(root, ownFile))) === ownText;

/** Takes back what `prepareSshd` wrote, and the keys. sshd reads its settings again when something was there. */
export async function forgetSshd(parts: { readonly root: string; readonly commands: Commands }): Promise<string[]> {
  const { root, commands } = parts;
  const removed: string[] = [];
  const keys = join(root, keysFolder);
  if (await hasEntry(join(root, ownFile))) {
    await rm(join(root, ownFile), { force: true });
    removed.push(`/${ownFile}`);
  }
  if (await hasEntry(keys)) {
    for (const name of await entriesIn(keys)) await rm(join(keys, name), { force: true });
    await rmdir(keys);
    removed.push(`/${keysFolder}`);
  }
  if (removed.length > 0) await Promise.all(units.map((unit) => commands.run(reloadUnit(unit))));
  return removed;
}

/**
 * Tells sshd where the keys of tenants are, which has to be so before a host takes tenants. sshd itself judges the new
 * settings before they count, and what was there is put back when it refuses them.
 */
export async function prepareSshd(parts: { readonly root: string; readonly commands: Commands }): Promise<string> {
  const { root, commands } = parts;
  const path = join(root, ownFile);
  if (!(await readsFolder(root))) {
    const advice = `Put "Include ${folder}/*.conf" into its first line and run this again.`;
    throw new HostFailure('host_not_ready', `/${mainFile} does not read ${folder}. ${advice}`);
  }
  const before = await textAt(path);
  if (before !== ownText) {
    await put(path, ownText);
    const judged = await commands.run(testSshdSettings);
    if (judged.status !== 0) {
      await (before === '' ? rm(path, { force: true }) : put(path, before));
      throw new HostFailure(
        'host_not_ready',
        `sshd refuses its settings, nothing was changed: ${complaintOf(judged)}.`,
      );
    }
  }
  const reloads = await Promise.all(units.map((unit) => commands.run(reloadUnit(unit))));
  if (reloads.every(({ status }) => status !== 0)) {
    throw new HostFailure(
      'host_not_ready',
      `/${ownFile} is written, but sshd could not be reloaded. Reload it yourself.`,
    );
  }
  return `sshd reads the keys of tenants from /${keysFolder}.`;
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.next`, text, { mode: 0o644 });
  await rename(`${path}.next`, path);
}
