import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostFailure } from '../../port.ts';
import { type Commands, complaintOf } from '../commands.ts';
import { gpuValuesQuery } from '../measure/gpu-values.ts';
import { hasEntry } from '../removal/entries.ts';
import { removeFlat } from './folders.ts';
import { type GuestSettings, guestFiles, programPath } from './reports/program.ts';

/**
 * What a new machine reads at its first boot, in the form that cloud-init reads (NoCloud). Documents are JSON, which is YAML as
 * well: values are quoted by the writer of JSON and cannot become instructions.
 */
export interface SeedOrder {
  readonly allocationId: string;
  readonly hostname: string;
  readonly login: { readonly username: string; readonly uid: number };
  readonly authorizedKeys: readonly string[];
  /** The key with which the agent goes in, to prove the machine and to open terminals. */
  readonly agentKey: string;
  readonly gateway: string;
  readonly mac: string;
  /** The host key, made here: the first connection is already to a machine whose key is known. */
  readonly hostKey: { readonly secret: string; readonly public: string };
  /** How the machine reports to its host, and which packages of a driver it installs. */
  readonly guest: GuestSettings;
}

const privateMode = 0o600;
/** What cloud-init starts at a login. No program of this host is started with it. */
const loginProgram = Object.fromEntries([['shell', '/bin/bash']]);

export const agentKeyLine = (gateway: string, key: string) =>
  `from="${gateway}",no-agent-forwarding,no-X11-forwarding ${key}`;

export function documentsOf(order: SeedOrder): { readonly [name: string]: object } {
  const { login } = order;
  return {
    'user-data': {
      hostname: order.hostname,
      manage_etc_hosts: true,
      disable_root: true,
      ssh_pwauth: false,
      ssh_deletekeys: true,
      ssh_genkeytypes: [],
      ssh_keys: { ed25519_private: order.hostKey.secret, ed25519_public: order.hostKey.public },
      users: [
        {
          name: login.username,
          uid: String(login.uid),
          ...loginProgram,
          lock_passwd: true,
          sudo: 'ALL=(ALL) NOPASSWD:ALL',
          ssh_authorized_keys: [agentKeyLine(order.gateway, order.agentKey), ...order.authorizedKeys],
        },
      ],
      write_files: guestFiles(order.guest, gpuValuesQuery),
      runcmd: [[programPath, 'setup']],
    },
    'meta-data': { 'instance-id': order.allocationId, 'local-hostname': order.hostname },
    'network-config': {
      version: 2,
      ethernets: { slice: { match: { macaddress: order.mac }, dhcp4: true, dhcp6: false, 'accept-ra': false } },
    },
  };
}

export async function makeSeed(commands: Commands, folder: string, order: SeedOrder): Promise<string> {
  const inside = join(folder, 'seed');
  const file = join(folder, 'seed.iso');
  await removeFlat(inside);
  await rm(file, { force: true });
  await mkdir(inside, { recursive: true, mode: 0o700 });
  for (const [name, document] of Object.entries(documentsOf(order))) {
    const head = name === 'user-data' ? '#cloud-config\n' : '';
    await writeFile(join(inside, name), `${head}${JSON.stringify(document)}\n`, { mode: privateMode });
  }
  const made = await commands.run([
    'xorriso',
    '-as',
    'mkisofs',
    '-quiet',
    '-V',
    'cidata',
    '-J',
    '-r',
    '-o',
    file,
    inside,
  ]);
  if (made.status !== 0) throw new HostFailure('machine_failed', `xorriso makes no seed: ${complaintOf(made)}.`);
  // The documents hold the host key; the machine gets them in the seed alone.
  await removeFlat(inside);
  return file;
}

export interface KeyPair {
  readonly path: string;
  readonly secret: string;
  readonly public: string;
}

/** A key of the slice, made once: a resumed attempt finds the one that is in the seed. */
export async function keyPair(commands: Commands, folder: string, name: string): Promise<KeyPair> {
  const path = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const read = async () => ({
    path,
    secret: await readFile(path, 'utf8'),
    public: (await readFile(`${path}.pub`, 'utf8')).split(' ').slice(0, 2).join(' ').trim(),
  });
  // The public half is written last.
  if (await hasEntry(`${path}.pub`)) return read();
  await rm(path, { force: true });
  const made = await commands.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path]);
  if (made.status !== 0) throw new HostFailure('machine_failed', `ssh-keygen makes no key: ${complaintOf(made)}.`);
  return read();
}
