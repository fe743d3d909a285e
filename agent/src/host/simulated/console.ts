import type { ConsoleLine } from '../port.ts';
import type { Hardware } from './hardware.ts';
import type { MachineState } from './state.ts';

/** What the machines of a simulated host would write on their consoles. Each boot says that it is simulated. */
export interface SimulatedConsole {
  boot(allocationId: string, machine: MachineState): void;
  shutDown(allocationId: string): void;
  say(allocationId: string, text: string): void;
  /** The lines since the last call. */
  take(): ConsoleLine[];
}

/** Far more than a boot; a host whose agent does not read forgets the oldest. */
const mostLines = 2_000;

export function makeSimulatedConsole(hardware: Pick<Hardware, 'driverVersion' | 'model'>): SimulatedConsole {
  let lines: ConsoleLine[] = [];
  const write = (allocationId: string, texts: readonly string[]): void => {
    lines = [...lines, ...texts.map((text) => ({ allocationId, text }))].slice(-mostLines);
  };
  return {
    boot: (allocationId, machine) => write(allocationId, bootOf(hardware, machine)),
    shutDown: (allocationId) =>
      write(allocationId, ['systemd[1]: Reached target Power-Off.', `${stamp(0)} reboot: Power down (simulated)`]),
    say: (allocationId, text) => write(allocationId, [text]),
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

const stamp = (seconds: number): string => `[${seconds.toFixed(6).padStart(12)}]`;

function bootOf(
  { driverVersion, model }: Pick<Hardware, 'driverVersion' | 'model'>,
  { hostname, vcpus, memory_mib, slots, login }: MachineState,
): string[] {
  return [
    'gpuaas: this machine is simulated. It does not exist, and what follows was made up.',
    `${stamp(0)} Linux version 6.8.0-simulated (gpuaas) #1 SMP PREEMPT_DYNAMIC`,
    `${stamp(0)} Command line: root=/dev/vda1 ro console=ttyS0 (simulated)`,
    `${stamp(0.012)} Memory: ${memory_mib * 1_024}K available`,
    `${stamp(0.034)} smp: Brought up 1 node, ${vcpus} CPUs`,
    ...slots.map(({ pci_address }) => `${stamp(0.61)} pci ${pci_address}: ${model} (simulated)`),
    `${stamp(1.204)} virtio_net virtio0 ens3: link becomes ready`,
    `${stamp(2.018)} EXT4-fs (vda1): mounted filesystem with ordered data mode`,
    `systemd[1]: Set hostname to <${hostname}>.`,
    `${stamp(4.77)} nvidia: loading NVIDIA UNIX x86_64 Kernel Module ${driverVersion} (simulated)`,
    ...slots.map((_, index) => `${stamp(5.1)} nvidia-smi: GPU ${index} is ready (simulated)`),
    `cloud-init[612]: user ${login.username} has ${slots.length} GPU${slots.length === 1 ? '' : 's'}`,
    'systemd[1]: Started ssh.service - OpenBSD Secure Shell server.',
    'systemd[1]: Reached target multi-user.target - Multi-User System.',
    `${hostname} login: `,
  ];
}
