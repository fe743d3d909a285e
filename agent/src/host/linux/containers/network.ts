import { writeFile } from 'node:fs/promises';
import { HostFailure } from '../../port.ts';
import { type Argv, type Commands, complaintOf } from '../commands.ts';
import type { ContainerRecord, ContainerRecords } from './records.ts';
import { rulesOf, table } from './rules.ts';
import { addressOf, bridgeOf, type ContainerSettings, cableOf, gatewayOf, nameOf, type Places } from './settings.ts';

/**
 * The network of each allocation: a bridge, a network namespace for each container with one cable to the bridge, and one table of
 * nftables for all of them. The rules are derived from the records and put in place whole, before a cable is plugged in.
 */
export interface ContainerNetwork {
  /** The namespace of a container that does not run, made anew. */
  connect(record: ContainerRecord, workload: Connected): Promise<void>;
  disconnect(record: ContainerRecord, workload: Connected): Promise<void>;
  /** Takes the bridge of an allocation away. */
  removeBridge(record: ContainerRecord): Promise<void>;
  /** The rules as the records want them. */
  reconcile(): Promise<void>;
}
interface Connected {
  readonly workload_id: string;
  readonly host: number;
}

export function makeContainerNetwork(parts: {
  readonly commands: Commands;
  readonly places: Places;
  readonly settings: ContainerSettings;
  readonly records: ContainerRecords;
}): ContainerNetwork {
  const { commands, places, settings, records } = parts;
  const must = async (...argv: Argv): Promise<string> => {
    const result = await commands.run(argv);
    if (result.status === 0) return result.stdout;
    throw new HostFailure('isolation_failed', `${argv.slice(0, 3).join(' ')} does not work: ${complaintOf(result)}.`);
  };
  const isThere = async (...argv: Argv) => (await commands.run(argv)).status === 0;

  let last: Promise<unknown> = Promise.resolve();
  const reconcile = () => {
    const turn = last.then(async () => {
      const wanted = rulesOf(settings, await records.all());
      await writeFile(places.rules, wanted, { mode: 0o600 });
      await must('nft', '--file', places.rules);
    });
    last = turn.catch(() => undefined);
    return turn;
  };
  const makeBridge = async (index: number) => {
    const bridge = bridgeOf(index);
    if (!(await isThere('ip', 'link', 'show', 'dev', bridge))) {
      await must('ip', 'link', 'add', 'name', bridge, 'type', 'bridge', 'stp_state', '0');
    }
    await must('sysctl', '--quiet', '--write', `net.ipv6.conf.${bridge}.disable_ipv6=1`);
    await must('ip', 'address', 'replace', `${gatewayOf(settings, index)}/24`, 'dev', bridge);
    await must('ip', 'link', 'set', 'dev', bridge, 'up');
    await must('sysctl', '--quiet', '--write', 'net.ipv4.ip_forward=1');
  };
  const disconnect = async ({ index }: ContainerRecord, { workload_id, host }: Connected) => {
    const [name, cable] = [nameOf(workload_id), cableOf(index, host)];
    if (await isThere('ip', 'link', 'show', 'dev', cable)) await must('ip', 'link', 'delete', 'dev', cable);
    // A name that is there and leads nowhere, as after a restart of the machine, is removed too.
    await commands.run(['ip', 'netns', 'delete', name]);
    if ((await must('ip', 'netns', 'list')).split('\n').some((line) => line.split(' ')[0] === name)) {
      throw new HostFailure('isolation_failed', `The network of workload ${workload_id} cannot be removed.`);
    }
  };

  return {
    reconcile,
    disconnect,
    async connect(record, workload) {
      const { index } = record;
      const [name, cable] = [nameOf(workload.workload_id), cableOf(index, workload.host)];
      const address = addressOf(settings, index, workload.host);
      await disconnect(record, workload);
      await reconcile();
      await makeBridge(index);
      const loaded = await must('nft', 'list', 'table', ...table);
      if (
        !loaded.includes(`"${bridgeOf(index)}"`) ||
        !loaded.includes('hook forward') ||
        !loaded.includes('hook input')
      ) {
        throw new HostFailure('isolation_failed', 'The rules around containers are not in the kernel.');
      }
      await must('ip', 'netns', 'add', name);
      await must('ip', 'link', 'add', 'name', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      await must('ip', '-netns', name, 'address', 'add', `${address}/24`, 'dev', 'eth0');
      await must('ip', '-netns', name, 'link', 'set', 'dev', 'lo', 'up');
      await must('ip', '-netns', name, 'link', 'set', 'dev', 'eth0', 'up');
      await must('ip', '-netns', name, 'route', 'add', 'default', 'via', gatewayOf(settings, index));
      await must('ip', 'link', 'set', 'dev', cable, 'master', bridgeOf(index), 'up');
    },
    async removeBridge({ index }) {
      const bridge = bridgeOf(index);
      if (await isThere('ip', 'link', 'show', 'dev', bridge)) await must('ip', 'link', 'delete', 'dev', bridge);
    },
  };
}
