import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostTopology } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { afterEach, describe, expect, it } from 'vitest';
import { type Argv, makeCommands, statusMissing } from './commands.ts';
import { pciAddressOf, queryGpus } from './nvidia-smi.ts';
import { growMachine, h200, type MachineSpec } from './testing/machines.ts';
import { discoverTopology } from './topology.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});
async function discover(spec: MachineSpec, hasDriver = true) {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-tree-'));
  folders.push(folder);
  const machine = await growMachine(folder, spec);
  const asked: Argv[] = [];
  const commands = {
    run: async (argv: Argv) => {
      asked.push(argv);
      const missing = { status: statusMissing, stdout: '', stderr: '' };
      return (hasDriver && machine.says.get(argv.join(' '))) || missing;
    },
  };
  const topology = await discoverTopology(machine.root, commands);
  expect(Check(HostTopology, topology)).toBe(true);
  return { topology, asked, root: folder };
}

describe('what a machine is made of', () => {
  it('makes no slices of GPUs that a switch joins, and says why', async () => {
    const { topology } = await discover({ hasSwitch: true });
    expect(topology.blockers).toContainEqual(expect.stringContaining('The NVSwitch at 0000:07:00.0 joins the GPUs'));
    expect(topology.capabilities).toContainEqual(expect.objectContaining({ ability: 'slices', able: false }));
  });

  it('finds eight GPUs on two sides, each with a fabric function and a disk of its own beside it', async () => {
    const { topology } = await discover({});
    expect(topology).toMatchObject({
      hostname: 'gpu-17',
      kernel: '6.8.0-79-generic',
      cpu_count: 192,
      memory_mib: 2_062_500,
      driver_version: h200.driver,
      cuda_version: h200.cuda,
      simulated: false,
      blockers: [expect.stringContaining('no disk is approved for slices')],
      prerequisites: {
        kvm_available: true,
        iommu_group_count: 33,
        iommu_kernel_args: ['intel_iommu=on', 'iommu=pt'],
        cloud_localds_available: true,
      },
    });
    expect(topology.numa_nodes.map(({ cpus }) => cpus)).toEqual(['0-95', '96-191']);
    expect(topology.slots.map(({ numa_node }) => numa_node)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(topology.slots.flatMap(({ blockers }) => blockers)).toEqual([]);
    expect(topology.slots[3]).toMatchObject({
      gpu_model: h200.model,
      gpu_memory_mib: h200.memoryMib,
      pci_address: '0000:5d:00.0',
      fabric_vf_pci_address: '0000:5e:00.2',
      nvme_device: '/dev/nvme4n1',
    });
    expect(new Set(topology.slots.map(({ nvme_device }) => nvme_device)).size).toBe(8);
    expect(topology.slots.map(({ nvme_device }) => nvme_device)).not.toContain('/dev/nvme0n1');
  });

  it('names a GPU that is on the bus and does not answer, and counts the others', async () => {
    const { topology } = await discover({ silent: [2] });
    expect(topology.slots).toHaveLength(7);
    expect(topology.slots.map(({ slot_index }) => slot_index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(topology.blockers).toContain(
      'The GPU at 0000:3a:00.0 is on the bus, and the driver does not answer for it.',
    );
    expect(topology.blockers.join()).toMatch(/Unable to determine the device handle/);
  });

  it('says which switch to turn when there is no IOMMU', async () => {
    const { topology } = await discover({ hasIommu: false });
    expect(topology.prerequisites).toMatchObject({ iommu_group_count: 0, iommu_kernel_args: [] });
    expect(topology.blockers.join()).toMatch(/IOMMU is off.*intel_iommu=on/);
    expect(topology.slots.every(({ blockers }) => blockers.includes('The GPU is in no IOMMU group.'))).toBe(true);
  });

  it('gives no disk away that is mounted, and says where', async () => {
    const { topology } = await discover({ mounts: ['/dev/nvme6n1p1 /data ext4 rw 0 0'] });
    const without = topology.slots.filter(({ nvme_device }) => nvme_device === null);
    expect(without).toHaveLength(1);
    expect(without[0]).toMatchObject({
      numa_node: 1,
      blockers: [expect.stringMatching(/nvme6n1 is mounted at \/data/)],
    });
    expect(topology.slots.map(({ nvme_device }) => nvme_device)).not.toContain('/dev/nvme6n1');
  });

  it('does not take a disk for another whose name begins alike', async () => {
    const { topology } = await discover({
      mounts: ['/dev/nvme6n10 /data ext4 rw 0 0', '/dev/nvme60n1p1 /b ext4 rw 0 0'],
    });
    expect(topology.slots.every(({ nvme_device }) => nvme_device !== null)).toBe(true);
  });

  it('says what else is in the IOMMU group of a GPU', async () => {
    const { topology } = await discover({ crowded: true });
    expect(topology.slots[0]?.blockers).toEqual(['The GPU shares IOMMU group 0 with 0000:18:00.1.']);
    expect(topology.slots[1]?.blockers).toEqual([]);
  });

  it('says who holds GPUs that the driver does not have', async () => {
    const { topology } = await discover({ driver: 'vfio-pci', gpus: 1 });
    expect(topology.slots).toEqual([]);
    expect(topology.blockers).toContain('The GPU at 0000:18:00.0 is held by vfio-pci, so its UUID cannot be read.');
  });

  it('describes a virtual machine with one GPU as it is: no side, no IOMMU, no KVM, no disk', async () => {
    const { topology } = await discover({ isVirtual: true });
    expect(topology.slots).toHaveLength(1);
    expect(topology.slots[0]).toMatchObject({
      pci_address: '0000:00:06.0',
      numa_node: -1,
      nvme_device: null,
      fabric_vf_pci_address: null,
    });
    expect(topology.blockers.join()).toMatch(/IOMMU.*\/dev\/kvm/);
  });

  it('says that there is no GPU, and that there is no driver', async () => {
    const { topology } = await discover({ gpus: 0 });
    expect(topology.blockers).toContain('There is no GPU of NVIDIA on the PCI bus.');
    const { topology: bare } = await discover({}, false);
    expect(bare).toMatchObject({ driver_version: null, cuda_version: null, slots: [] });
    expect(bare.blockers).toContain('nvidia-smi does not answer: it is not installed.');
  });

  it('asks nvidia-smi and nobody else, and changes nothing', async () => {
    const { asked, root } = await discover({});
    expect(new Set(asked.map(([program]) => program))).toEqual(new Set(['nvidia-smi']));
    expect(await readFile(join(root, 'proc/sys/kernel/hostname'), 'utf8')).toBe('gpu-17\n');
  });

  it('is described also where it is this one', async () => {
    const topology = await discoverTopology('/', makeCommands());
    expect(Check(HostTopology, topology)).toBe(true);
  });
});

describe('the words of nvidia-smi', () => {
  const say = (stdout: string, status = 0) => queryGpus({ run: async () => ({ status, stdout, stderr: '' }) });

  it('are read as a real H200 writes them', async () => {
    const row =
      'GPU-3f0b1c52-0000-4000-8000-000000000001, NVIDIA H200, 00000000:00:06.0, 580.159.04, 143771, 0, 0, Disabled';
    expect(await say(`${row}\n`)).toMatchObject({
      driverVersion: '580.159.04',
      answers: { passed: true },
      gpus: [{ model: 'NVIDIA H200', pciAddress: '0000:00:06.0', memoryMib: 143_771, isPartitioned: false }],
    });
  });

  it('may leave figures out, and are no GPU when they leave out which one', async () => {
    const row =
      'GPU-3f0b1c52-0000-4000-8000-000000000001, NVIDIA H200, 00000000:00:06.0, 580.159.04, 143771, [N/A], [N/A], Enabled';
    const look = await say(`${row}\n[GPU is lost], [GPU is lost], 00000000:18:00.0, , , , , \nnonsense\n`, 15);
    expect(look.gpus).toMatchObject([{ utilization: undefined, uncorrectedErrors: undefined, isPartitioned: true }]);
    expect(look.answers.passed).toBe(false);
  });

  it('write addresses their own way', () => {
    expect(pciAddressOf('00000000:5D:00.0')).toBe('0000:5d:00.0');
    expect(pciAddressOf('00010000:5D:00.0')).toBe('10000:5d:00.0');
    expect(pciAddressOf('0001:5d:00.0')).toBe('0001:5d:00.0');
    expect(pciAddressOf('--help')).toBeUndefined();
  });
});
