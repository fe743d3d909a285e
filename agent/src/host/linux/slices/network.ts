import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostFailure } from '../../port.ts';
import { type Argv, type Commands, complaintOf } from '../commands.ts';
import { hasEntry, textAt } from '../removal/entries.ts';
import { rulesOf, tables } from './rules.ts';
import { bridge, gatewayOf, type SliceNames, type SliceSettings } from './settings.ts';

/**
 * The network of the slices on this host: one bridge whose ports are isolated from each other, DHCP that answers reservations
 * alone, and two tables of nftables that hold all rules. Everything is derived from the list of slices and put in place whole, so
 * what is left of a slice that is gone goes with the next change, and rules of others are not touched.
 */
export interface Network {
  /** Makes the network fit for these slices and no others, and the ports of some of them lead in. Safe to repeat. */
  reconcile(slices: readonly SliceNames[], open: readonly SliceNames[]): Promise<void>;
  /** What is wrong with the walls around a slice that runs, as the kernel has them; empty when nothing is. */
  breaches(slice: SliceNames): Promise<string[]>;
}

export function makeNetwork(parts: {
  readonly commands: Commands;
  readonly folder: string;
  readonly settings: SliceSettings;
}): Network {
  const { commands, folder, settings } = parts;
  const gateway = gatewayOf(settings);
  const must = async (argv: Argv): Promise<string> => {
    const result = await commands.run(argv);
    if (result.status === 0) return result.stdout;
    throw new HostFailure('host_not_ready', `${argv.slice(0, 3).join(' ')} does not work: ${complaintOf(result)}.`);
  };
  const put = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await writeFile(path, text, { mode: 0o644 });
    return path;
  };

  const makeBridge = async () => {
    const there = await commands.run(['ip', 'link', 'show', 'dev', bridge]);
    if (there.status !== 0) await must(['ip', 'link', 'add', 'name', bridge, 'type', 'bridge', 'stp_state', '0']);
    // Slices have no IPv6: nothing on the bridge may offer or answer it, the host included.
    await must(['sysctl', '--quiet', '--write', `net.ipv6.conf.${bridge}.disable_ipv6=1`]);
    const addresses = await must(['ip', '-4', '-o', 'address', 'show', 'dev', bridge]);
    if (!addresses.includes(` ${gateway}/24 `))
      await must(['ip', 'address', 'replace', `${gateway}/24`, 'dev', bridge]);
    await must(['ip', 'link', 'set', 'dev', bridge, 'up']);
    await must(['sysctl', '--quiet', '--write', 'net.ipv4.ip_forward=1']);
  };

  const reservations = (slices: readonly SliceNames[]) =>
    slices.map(({ mac, address, machine }) => `${mac},${address},${machine},infinite\n`).join('');
  const dhcpSettings = () =>
    [
      'port=0',
      `interface=${bridge}`,
      'except-interface=lo',
      'bind-interfaces',
      `dhcp-range=${gateway},static,255.255.255.0,infinite`,
      `dhcp-hostsfile=${join(folder, 'reservations')}`,
      `dhcp-leasefile=${join(folder, 'leases')}`,
      `pid-file=${join(folder, 'dnsmasq.pid')}`,
      `dhcp-option=option:router,${gateway}`,
      settings.nameServers.length > 0
        ? `dhcp-option=option:dns-server,${settings.nameServers.join(',')}`
        : 'dhcp-option=option:dns-server',
      'dhcp-authoritative',
      'no-ping',
      'no-resolv',
      'no-hosts',
      'leasefile-ro',
      'user=root',
      '',
    ].join('\n');
  const serveAddresses = async (slices: readonly SliceNames[]) => {
    await put('reservations', reservations(slices));
    const config = await put('dnsmasq.conf', dhcpSettings());
    const pid = await dhcpPid(folder);
    // It reads the reservations again at this signal.
    if (pid !== undefined) process.kill(pid, 'SIGHUP');
    else await must(['dnsmasq', `--conf-file=${config}`]);
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    reconcile(slices, open) {
      const turn = last.then(async () => {
        await makeBridge();
        await must(['nft', '--file', await put('rules.nft', rulesOf(settings, slices, open))]);
        await serveAddresses(slices);
      });
      last = turn.catch(() => undefined);
      return turn;
    },
    async breaches(slice) {
      const link = await commands.run(['bridge', '-details', '-json', 'link', 'show', 'dev', slice.tap]);
      const found: string[] = [];
      if (!isIsolated(link.stdout)) found.push(`the port ${slice.tap} is not isolated`);
      for (const table of tables) {
        const listed = await commands.run(['nft', 'list', 'table', ...table]);
        if (listed.status !== 0) found.push(`the rules ${table.join(' ')} are not there`);
        else if (
          table[0] === 'bridge' &&
          !(listed.stdout.includes(`"${slice.tap}"`) && listed.stdout.includes(slice.mac))
        ) {
          found.push(`no rule keeps ${slice.tap} from using other addresses`);
        }
      }
      return found;
    },
  };
}

/** The process that serves addresses from this folder, if one does. */
async function dhcpPid(folder: string): Promise<number | undefined> {
  const pid = Number((await textAt(join(folder, 'dnsmasq.pid'))).trim());
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  // A number may belong to another program by now.
  const words = await textAt(`/proc/${pid}/cmdline`);
  return words.includes('dnsmasq') && words.includes(folder) ? pid : undefined;
}

/** Takes the network of slices away, where there is one: its DHCP server, its rules and its bridge. */
export async function removeNetwork(parts: { readonly commands: Commands; readonly folder: string }): Promise<void> {
  const { commands, folder } = parts;
  if (!(await hasEntry(folder))) return;
  const pid = await dhcpPid(folder);
  if (pid !== undefined) process.kill(pid, 'SIGTERM');
  for (const table of tables) await commands.run(['nft', 'delete', 'table', ...table]);
  await commands.run(['ip', 'link', 'delete', 'dev', bridge]);
}

function isIsolated(json: string): boolean {
  try {
    const [link] = JSON.parse(json) as { readonly isolated?: boolean }[];
    return link?.isolated === true;
  } catch {
    return false;
  }
}
