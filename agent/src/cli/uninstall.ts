import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDisk } from '../disk.ts';
import { makeAccounts } from '../host/linux/accounts.ts';
import { type Commands, complaintOf, statusMissing } from '../host/linux/commands.ts';
import { makeDisposal } from '../host/linux/removal/disposal.ts';
import { hasEntry, textAt } from '../host/linux/removal/entries.ts';
import { makeMounts } from '../host/linux/removal/mounts.ts';
import { makeLibvirt } from '../host/linux/slices/machine/libvirt.ts';
import { removeNetwork } from '../host/linux/slices/network.ts';
import { forgetSshd } from '../host/linux/ssh/sshd-settings.ts';
import type { Host } from '../host/port.ts';
import { openLeases } from '../leases/leases.ts';

/** A host that still has tenants is not taken apart without --force. */
export class StillHeld extends Error {}

export interface UninstallOrder {
  /** What stands for `/`. */
  readonly root: string;
  readonly homes: string;
  readonly commands: Commands;
  readonly stateDir: string;
  readonly logDir: string;
  readonly envFile: string;
  readonly isForced: boolean;
  readonly isDry: boolean;
  /** Opens the host, to end what runs for tenants. */
  readonly openHost: () => Promise<Host>;
  readonly say: (line: string) => void;
}

const unit = 'gpuaas-node-agent.service';
const wants = `etc/systemd/system/multi-user.target.wants/${unit}`;
const packaged = 'gpuaas-node-agent';
const home = 'usr/lib/gpuaas';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const logNames = /^node-agent(?:-samples)?\.(?:log|jsonl)/;
/** The fewest steps that a folder may have which is removed whole: neither `/` nor `/var` is one. */
const leastDepth = 2;

/** Takes the agent off this host with everything that it made: service, files, keys, network, logins. */
export async function uninstall(order: UninstallOrder): Promise<void> {
  const { root, commands, say } = order;
  if (order.stateDir.split('/').filter(Boolean).length < leastDepth) {
    throw new Error(`${order.stateDir} cannot be a state folder: look at GPUAAS_STATE_DIR`);
  }
  const held = await findHeld(order);
  if (held.length > 0 && !order.isForced) throw new StillHeld(refusal(held));
  if (order.isDry) {
    for (const path of await whatIsThere(order)) say(`would remove ${path}`);
    return;
  }
  await stopService(order);
  if (held.length > 0) await endTenants(order, held);
  await removeNetwork({ commands, folder: join(root, order.stateDir, 'host/network') });
  for (const path of await forgetSshd({ root, commands })) say(`removed ${path}`);
  for (const path of await ownPaths(order)) {
    if (!(await hasEntry(join(root, path)))) continue;
    await rm(join(root, path), { recursive: true, force: true });
    say(`removed ${path}`);
  }
  await removePackage(order);
  for (const path of [dirname(order.stateDir), order.logDir, dirname(order.envFile)]) await removeEmpty(root, path);
  const reloaded = await commands.run(['systemctl', 'daemon-reload']);
  if (reloaded.status !== 0 && reloaded.status !== statusMissing) say(`systemctl: ${complaintOf(reloaded)}`);
  say('The agent is gone. The control plane still lists this host: gpuaas ops node remove NODE forgets it.');
}

/** Whose leases are here, by the lease files and by the accounts of the host. */
async function findHeld(order: UninstallOrder): Promise<string[]> {
  const leases = await openLeases({
    disk: makeDisk({ forced: true }),
    dir: join(order.root, order.stateDir, 'leases'),
  });
  const logins = (await accountsOf(order).list()).flatMap(({ allocationId }) => allocationId ?? []);
  return [...new Set([...leases.held().map(({ allocation_id: id }) => id), ...leases.unreadable, ...logins])];
}

const accountsOf = ({ root, homes, commands }: UninstallOrder) =>
  makeAccounts({
    ...{ root, homes, commands },
    isRoot: process.getuid?.() === 0,
    disposal: makeDisposal({ commands, mounts: makeMounts({ commands }) }),
  });

const refusal = (held: readonly string[]) =>
  [
    `this host is let: ${held.join(', ')}.`,
    'Drain it (gpuaas ops node drain NODE) and uninstall when it is empty.',
    'With --force the machines and logins of these tenants end now, their homes are removed, no disk is erased with proof,',
    'and the control plane learns nothing of it.',
  ].join('\n');

/** Ends what runs, then removes the logins. Disks of slices stay as they are: erasing with proof is a release. */
async function endTenants(order: UninstallOrder, held: readonly string[]): Promise<void> {
  const host = await order.openHost();
  try {
    // A lease file that cannot be read names no allocation.
    for (const allocationId of held.filter((name) => uuid.test(name))) {
      await host.endRuntime(allocationId);
      // A whole host has no machine by this name.
      await makeLibvirt(order.commands)
        .undefine(allocationId)
        .catch(() => undefined);
    }
  } finally {
    await host.close();
  }
  const accounts = accountsOf(order);
  for (const account of await accounts.list()) {
    const { allocationId, name: username, uid, gid } = account;
    if (allocationId === undefined) continue;
    await accounts.remove(allocationId, { username, uid, gid });
    order.say(`removed the login ${username} and its home`);
  }
  order.say(`Ended without proof: ${held.join(', ')}. No disk of a slice was erased.`);
}

async function stopService({ commands, say, root }: UninstallOrder): Promise<void> {
  const stopped = await commands.run(['systemctl', 'disable', '--now', unit]);
  if (stopped.status === 0) say(`stopped and disabled ${unit}`);
  await rm(join(root, wants), { force: true });
}

/** What the agent wrote, beside the package itself. */
async function ownPaths({ root, stateDir, logDir, envFile }: UninstallOrder): Promise<string[]> {
  const logs = await readdir(join(root, logDir)).catch(() => []);
  return [stateDir, envFile, ...logs.filter((name) => logNames.test(name)).map((name) => join(logDir, name))];
}
const packageFiles = async (root: string): Promise<string[]> =>
  (await textAt(join(root, home, 'files.txt'))).split('\n').filter((line) => /^[\w@][^\0]*$/.test(line));

async function whatIsThere(order: UninstallOrder): Promise<string[]> {
  const paths = [...(await ownPaths(order)), ...(await packageFiles(order.root)).map((path) => `/${path}`)];
  const there = await Promise.all(paths.map((path) => hasEntry(join(order.root, path))));
  return paths.filter((_, index) => there[index]);
}

async function removePackage({ root, commands, say }: UninstallOrder): Promise<void> {
  if (await hasEntry(join(root, `var/lib/dpkg/info/${packaged}.list`))) {
    const purged = await commands.run(['dpkg', '--purge', packaged]);
    if (purged.status !== 0) throw new Error(`dpkg --purge ${packaged}: ${complaintOf(purged)}`);
    say(`purged the package ${packaged}`);
    return;
  }
  const files = await packageFiles(root);
  for (const path of files) {
    await rm(join(root, path), { force: true });
    await removeEmpty(root, dirname(path));
  }
  if (files.length > 0) say(`removed ${files.length} files of the package`);
}

/** The folder and those above it, as far as they are empty and the agent's own. */
async function removeEmpty(root: string, path: string): Promise<void> {
  for (let folder = path; /gpuaas/.test(folder); folder = dirname(folder)) {
    const isGone = await rmdir(join(root, folder)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}
