import type { Proof, ReadinessAttestation } from '@gpuaas/contract/node';
import { fingerprintOfBlob } from '../../fingerprint.ts';
import { HostFailure } from '../../port.ts';
import { queryGpus, readCudaVersion } from '../nvidia-smi.ts';
import { rest, stopIfCalledOff } from '../phases.ts';
import { commandsIn, type Guest, reachedFrom, whyNoLogin } from './guest.ts';
import { guestOf, keysOf, type SliceParts } from './parts.ts';
import type { SliceRecord } from './records.ts';
import { failIfSetupFailed } from './reports/progress.ts';
import { gatewayOf } from './settings.ts';

const betweenTriesMs = 2_000;
const loginTries = 5;
const metadataService = { address: '169.254.169.254', port: 80 };
const sshPort = 22;

/** Waits until the agent gets in with its key, and the machine has shown the key that it was given. */
export async function waitForLogin(parts: SliceParts, record: SliceRecord, signal: AbortSignal): Promise<void> {
  const guest = await guestOf(parts, record);
  const untilMs = parts.clock.now().getTime() + parts.settings.bootMs;
  for (;;) {
    const why = await whyNoLogin(parts.commands, guest);
    if (why === undefined) return failIfSetupFailed(parts, record.allocation_id);
    stopIfCalledOff(signal);
    await failIfSetupFailed(parts, record.allocation_id);
    if (!(await parts.libvirt.isRunning(record.allocation_id))) {
      throw new HostFailure('machine_failed', 'The machine ended while it started.');
    }
    if (parts.clock.now().getTime() >= untilMs) {
      throw new HostFailure('ssh_unreachable', `Nobody gets into ${guest.address}: ${why}.`);
    }
    await rest(parts.clock, betweenTriesMs, signal);
  }
}

/** What a slice proves, looked up at this moment: inside the machine, and in the kernel of the host around it. */
export async function attest(parts: SliceParts, record: SliceRecord): Promise<ReadinessAttestation> {
  const guest = await guestOf(parts, record);
  const inside = commandsIn(parts.commands, guest);
  const look = await queryGpus(inside);
  const cuda = look.gpus.length > 0 ? await readCudaVersion(inside) : undefined;
  const isolation = await proveIsolation(parts, record);
  const reachable = await getsIn(parts, guest);
  const { host } = await keysOf(parts, record.allocation_id);
  return {
    allocation_id: record.allocation_id,
    taken_at: parts.clock.now().toISOString(),
    simulated: false,
    gpus: look.gpus.map(({ uuid, model, pciAddress, memoryMib, uncorrectedErrors = 0 }) => ({
      ...{ uuid, model, pci_address: pciAddress, memory_mib: memoryMib, healthy: uncorrectedErrors === 0 },
      ...(uncorrectedErrors > 0 && { detail: `${uncorrectedErrors} memory errors could not be corrected.` }),
    })),
    driver_version: look.driverVersion ?? '',
    cuda_version: cuda ?? '',
    nvidia_smi: look.answers,
    disk_clean: record.disk_clean ?? { passed: false, detail: 'The disk was not written by this host.' },
    isolation,
    ssh: {
      reachable,
      address: parts.door.address,
      port: record.names.sshPort,
      username: record.login.username,
      host_key_fingerprint: fingerprintOfBlob(host.public.split(' ')[1] ?? ''),
    },
    durations_ms: record.durations_ms,
  };
}

/** A machine that is busy may miss one try; one that misses all of them is not reachable. */
async function getsIn(parts: SliceParts, guest: Guest): Promise<boolean> {
  for (let tries = 0; tries < loginTries; tries += 1) {
    if ((await whyNoLogin(parts.commands, guest)) === undefined) return true;
  }
  return false;
}

/** The walls as the kernel has them, and what can be reached through them from inside. */
async function proveIsolation(parts: SliceParts, record: SliceRecord): Promise<Proof> {
  const breaches = await parts.network.breaches(record.names);
  const others = (await parts.records.all()).filter(({ allocation_id }) => allocation_id !== record.allocation_id);
  const targets = [
    { address: gatewayOf(parts.settings), port: sshPort },
    metadataService,
    ...others.map(({ names }) => ({ address: names.address, port: sshPort })),
  ];
  const reached = await reachedFrom(parts.commands, await guestOf(parts, record), targets);
  const trouble = [
    ...breaches,
    ...(reached === undefined ? ['nobody could look from inside'] : reached.map((target) => `${target} is reached`)),
  ];
  return trouble.length === 0
    ? {
        passed: true,
        detail: `The port is isolated, its rules are there, and ${targets.length} places are not reached from inside.`,
      }
    : { passed: false, detail: `Not isolated: ${trouble.join('; ')}.`.slice(0, 500) };
}
