import { fingerprintOfBlob } from '../../fingerprint.ts';
import { openForward } from '../../forward.ts';
import { isAuthorityLine, keyLinesOf } from '../../key-lines.ts';
import { type Host, HostFailure, type HostRuntime, type HostSample, type Shell } from '../../port.ts';
import { connectStream } from '../../stream.ts';
import { stopIfCalledOff, unlessCalledOff } from '../phases.ts';
import type { ConsoleOf } from '../serial-console.ts';
import { readPciDevices } from '../sysfs.ts';
import { commandsIn, sshTo } from './guest.ts';
import { makeGuestShells } from './guest-shells.ts';
import { guestOf, keysOf, reconcileNetwork, type SliceParts } from './parts.ts';
import { attest, waitForLogin } from './proof.ts';
import { makeProvision } from './provision.ts';
import type { SliceRecord } from './records.ts';
import { makeRelease, stopMachine } from './release.ts';
import { agentKeyLine } from './seed.ts';
import { gatewayOf } from './settings.ts';
import { makeSliceStops } from './stops.ts';

type Methods =
  | 'provisionSlice'
  | 'releaseSlice'
  | 'installKeys'
  | 'attest'
  | 'restart'
  | 'stop'
  | 'start'
  | 'endRuntime'
  | 'gpusOf'
  | 'openShell'
  | 'openStream';
/** The slices of this host. */
export interface Slices extends Pick<Host, Methods> {
  /** Whether this allocation is a slice on this host. */
  has(allocationId: string): Promise<boolean>;
  runtimes(): Promise<HostRuntime[]>;
  /** What machines reported of themselves since the last call. */
  samples(): Promise<HostSample[]>;
  /** Where the consoles of the machines are written. */
  consoles(): Promise<ConsoleOf[]>;
  /** The network as the slices want it, after a restart of the agent or of the machine. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

const restartGraceSeconds = 60;
const sshPort = 22;
const noSignal = new AbortController().signal;

export function makeSlices(parts: SliceParts): Slices {
  const { records, libvirt } = parts;
  const provision = makeProvision(parts);
  const release = makeRelease(parts);
  const shells = makeGuestShells();

  const needRunning = makeNeedRunning(parts);

  /** Closes what was opened if the lease has ended while the connection was made. */
  const unlessEnded = async (of: { readonly allocationId: string; readonly username: string }, opened: Shell) => {
    await needRunning(of.allocationId, of.username).catch((error: unknown) => {
      opened.kill();
      throw error;
    });
    return opened;
  };

  return {
    has: async (allocationId) => (await records.get(allocationId)) !== undefined,
    provisionSlice: provision,
    async releaseSlice(params, work) {
      await shells.end(params.allocation_id);
      return release(params, work);
    },
    async installKeys(params, work) {
      stopIfCalledOff(work.signal);
      return writeKeys(parts, await needRunning(params.allocation_id, params.login.username), keyLinesOf(params));
    },
    async attest(params, work) {
      stopIfCalledOff(work.signal);
      return unlessCalledOff(
        work.signal,
        attest(parts, await needRunning(params.allocation_id, params.login.username)),
      );
    },
    async restart(params, work) {
      const record = await needRunning(params.allocation_id, params.login.username);
      stopIfCalledOff(work.signal);
      work.phase('reboot', 0);
      await stopMachine(parts, record.allocation_id, restartGraceSeconds, work.signal);
      await needRunning(params.allocation_id, params.login.username);
      await libvirt.start(record.allocation_id);
      work.phase('readiness', 0);
      await waitForLogin(parts, record, work.signal);
      return unlessCalledOff(work.signal, attest(parts, record));
    },
    ...makeSliceStops(parts, shells, writeKeys),
    async endRuntime(allocationId) {
      const record = await records.change(allocationId, (now) => now && { ...now, state: 'ended' as const });
      if (!record) return;
      await shells.end(allocationId);
      await stopMachine(parts, allocationId, 0, noSignal);
      await reconcileNetwork(parts);
    },
    async gpusOf(allocationId) {
      const record = await records.get(allocationId);
      if (!record) return [];
      // While it is being stopped or started, its GPUs count as used for as long as its machine is on.
      if (record.state === 'stopped' && !(await libvirt.isRunning(allocationId))) return [];
      const onBus = new Set((await readPciDevices(parts.root)).map(({ address }) => address));
      return record.slots.filter(({ pci_address }) => onBus.has(pci_address)).map(({ gpu_uuid }) => gpu_uuid);
    },
    async runtimes() {
      const known = await records.all();
      return Promise.all(
        known.map(async ({ allocation_id: allocationId }) => ({
          allocationId,
          shape: 'slice' as const,
          running: await libvirt.isRunning(allocationId),
        })),
      );
    },
    samples: () => takeReports(parts),
    consoles: async () =>
      (await records.all()).map(({ allocation_id: allocationId }) => ({
        ...{ allocationId, folder: records.folderOf(allocationId) },
      })),
    async openShell(order) {
      const record = await needRunning(order.allocationId, order.username);
      return unlessEnded(order, await shells.open(order, sshTo(await guestOf(parts, record), '-tt')));
    },
    async openStream(order) {
      const { address } = (await needRunning(order.allocationId, order.username)).names;
      const { to } = order;
      const isSsh = to.kind === 'ssh';
      return unlessEnded(
        order,
        isSsh ? await connectStream({ address, port: sshPort, what: 'sshd' }) : openForward(to.port, address),
      );
    },
    resume: () => resume(parts),
    async close() {
      await shells.close();
      await parts.guestDoor.close();
    },
  };
}

/** Finds the record of a slice that runs for a login; throws where there is none. */
const makeNeedRunning =
  ({ records }: Pick<SliceParts, 'records'>) =>
  async (allocationId: string, username: string): Promise<SliceRecord> => {
    const record = await records.get(allocationId);
    if (record?.state !== 'running' || record.login.username !== username) {
      throw new HostFailure('not_found', `Nothing runs for ${username} of allocation ${allocationId}.`);
    }
    return record;
  };

async function resume(parts: SliceParts): Promise<void> {
  if (!(await parts.records.all()).some(({ state }) => state !== 'ended')) return;
  await reconcileNetwork(parts);
  await parts.guestDoor.open().catch(() => undefined);
}

/** What machines that were handed over have reported. A door that could not be opened at the start of the agent is tried again. */
async function takeReports({ records, guestDoor }: SliceParts): Promise<HostSample[]> {
  const running = (await records.all()).filter(({ state }) => state === 'running');
  if (running.length > 0) await guestDoor.open().catch(() => undefined);
  return guestDoor
    .take()
    .filter((sample) => running.some(({ allocation_id }) => allocation_id === sample.allocation_id));
}

/** The keys inside the machine are exactly these afterwards, and the agent's own. */
async function writeKeys(parts: SliceParts, record: SliceRecord, wanted: readonly string[]): Promise<string[]> {
  const keys = await keysOf(parts, record.allocation_id);
  const lines = [agentKeyLine(gatewayOf(parts.settings), keys.agent.public), ...wanted];
  const program =
    'umask 077 && mkdir -p ~/.ssh && printf "%s\\n" "$@" >~/.ssh/.next && mv ~/.ssh/.next ~/.ssh/authorized_keys && cat ~/.ssh/authorized_keys';
  const inside = commandsIn(parts.commands, await guestOf(parts, record));
  const result = await inside.run(['bash', '-c', program, 'keys', ...lines]);
  const kept = result.stdout.split('\n').filter((line) => line !== '');
  if (result.status !== 0 || kept.length !== lines.length) {
    throw new HostFailure('ssh_unreachable', 'The keys could not be written inside the machine.');
  }
  return kept
    .slice(1)
    .filter((line) => !isAuthorityLine(line))
    .map((line) => fingerprintOfBlob(line.split(' ')[1] ?? ''));
}
