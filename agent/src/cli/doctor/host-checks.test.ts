import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Commands, statusMissing } from '../../host/linux/commands.ts';
import { prepareSshd } from '../../host/linux/ssh/sshd-settings.ts';
import { growMachine, type MachineSpec } from '../../host/linux/testing/machines.ts';
import { type Settings, UsageFault } from '../options.ts';
import { examine, showExamination } from './doctor.ts';
import { isWell, runChecks } from './finding.ts';
import { hostChecks } from './host-checks.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gpuaas-doctor-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const put = async (path: string, text = '') => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};
const closedModule = 'x86_64 Kernel Module';
const debian = 'ID=ubuntu\nID_LIKE=debian\n';
const redHat = 'ID="rocky"\nID_LIKE="rhel centos fedora"\n';

/** A machine as its kernel shows it, with what a host needs beside it unless a test leaves it out. */
async function grow(
  spec: MachineSpec & {
    readonly bare?: boolean;
    readonly release?: string;
    readonly clock?: string;
    readonly module?: string;
  } = {},
) {
  const machine = await growMachine(root, spec);
  const done = { status: 0, stdout: '', stderr: '' };
  const commands: Commands = {
    run: async (argv) => {
      if (argv[0] === 'timedatectl' && spec.clock !== undefined) return { ...done, stdout: `${spec.clock}\n` };
      if (argv[0] === 'systemctl' || argv[0] === '/usr/sbin/sshd') return done;
      return machine.says.get(argv.join(' ')) ?? { status: statusMissing, stdout: '', stderr: '' };
    },
  };
  await put('etc/os-release', spec.release ?? debian);
  await put('proc/cpuinfo', 'vendor_id : GenuineIntel\n');
  await put('etc/ssh/sshd_config', 'Include /etc/ssh/sshd_config.d/*.conf\n');
  if (!spec.bare) {
    await put(
      'proc/driver/nvidia/version',
      `NVRM version: NVIDIA UNIX ${spec.module ?? closedModule}  580.159.04  Tue\n`,
    );
    for (const program of ['setpriv', 'virsh', 'xorriso', 'ssh', 'nvme', 'qemu-system-x86_64', 'podman']) {
      await put(`usr/bin/${program}`);
    }
    for (const program of ['useradd', 'nft', 'dnsmasq', 'ip', 'blkdiscard', 'sshd']) await put(`usr/sbin/${program}`);
    for (const path of ['sys/class/iommu/dmar0/x', 'sys/bus/pci/drivers/vfio-pci/x', 'run/libvirt/libvirt-sock']) {
      await put(path);
    }
    await put('usr/lib/systemd/system/gpuaas-node-agent.service');
    await put('etc/systemd/system/multi-user.target.wants/gpuaas-node-agent.service');
    await prepareSshd({ root, commands });
  }
  return { root, commands };
}
const look = async (spec: Parameters<typeof grow>[0]) => runChecks(await hostChecks(await grow(spec)));
const find = (findings: Awaited<ReturnType<typeof look>>, check: string) => findings.find((one) => one.check === check);

describe('the checks of a host', () => {
  it('find nothing missing on a host that can be let whole and in slices', async () => {
    const findings = await look({ clock: 'yes' });
    expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(isWell(findings, true)).toBe(true);
    expect(find(findings, 'gpus')?.detail).toBe('8 of NVIDIA on the PCI bus.');
    expect(find(findings, 'driver')?.detail).toBe('580.159.04');
  });

  it('read the version of the open driver, which names the processor first', async () => {
    const findings = await look({ clock: 'yes', module: 'Open Kernel Module for x86_64' });
    expect(find(findings, 'driver')?.detail).toBe('580.159.04');
  });

  it('name what an empty machine lacks, each with the command that mends it', async () => {
    const findings = await look({ bare: true, gpus: 0, hasIommu: false, hasKvm: false });
    expect(Object.fromEntries(findings.map(({ check, state }) => [check, state]))).toEqual({
      ...{ unit: 'missing', clock: 'degraded', gpus: 'missing', driver: 'missing', 'nvidia-smi': 'missing' },
      ...{ 'program-setpriv': 'missing', 'program-useradd': 'missing', sshd: 'missing' },
      ...{ iommu: 'missing', kvm: 'missing', vfio: 'missing', libvirt: 'missing' },
      ...{ 'program-qemu-system-x86_64': 'missing', 'program-virsh': 'missing', 'program-nft': 'missing' },
      ...{ 'program-dnsmasq': 'missing', 'program-xorriso': 'missing', 'program-ssh': 'missing' },
      ...{ 'program-ip': 'missing', 'program-blkdiscard': 'missing', 'program-nvme': 'missing' },
      'program-podman': 'missing',
    });
    expect(findings.filter(({ mend }) => mend === undefined)).toEqual([]);
    expect(find(findings, 'program-nft')?.mend).toBe('apt-get install -y nftables');
    expect(find(findings, 'iommu')?.mend).toContain('intel_iommu=on iommu=pt');
    expect(find(findings, 'iommu')?.mend).toContain('update-grub');
    expect(isWell(findings, false)).toBe(false);
  });

  it('speak the language of the distribution and of the processor', async () => {
    await put('proc/cpuinfo');
    const machine = await grow({ bare: true, hasIommu: false, release: redHat });
    await put('proc/cpuinfo', 'vendor_id : AuthenticAMD\n');
    const findings = await runChecks(await hostChecks(machine));
    expect(find(findings, 'program-dnsmasq')?.mend).toBe('dnf install -y dnsmasq');
    expect(find(findings, 'iommu')?.mend).toBe('grubby --update-kernel=ALL --args="amd_iommu=on iommu=pt" && reboot');
  });

  it('tell an IOMMU that the firmware keeps off from one that nobody asked for', async () => {
    const machine = await grow({ hasIommu: false });
    await put('proc/cmdline', 'root=/dev/sda1 intel_iommu=on iommu=pt');
    const findings = await runChecks(await hostChecks(machine));
    expect(find(findings, 'iommu')).toMatchObject({ state: 'missing', mend: expect.stringContaining('firmware') });
  });

  it('call a clock that drifts and a GPU that fell silent degraded, and the host still usable', async () => {
    const findings = await look({ clock: 'no', silent: [3] });
    expect(find(findings, 'clock')).toMatchObject({ state: 'degraded', mend: 'timedatectl set-ntp true' });
    expect(find(findings, 'nvidia-smi')?.state).toBe('degraded');
    expect(isWell(findings, true)).toBe(true);
  });

  it('take GPUs that are handed to slices for present', async () => {
    const findings = await look({ driver: 'vfio-pci', clock: 'yes' });
    expect(find(findings, 'nvidia-smi')).toMatchObject({ state: 'ok', detail: 'The GPUs are handed to slices: 8.' });
  });

  it('ask for sshd’s settings, and for the service to start with the machine', async () => {
    const machine = await grow({ clock: 'yes' });
    await rm(join(root, 'etc/ssh/sshd_config.d'), { recursive: true });
    await rm(join(root, 'etc/systemd'), { recursive: true });
    const findings = await runChecks(await hostChecks(machine));
    expect(find(findings, 'sshd')).toMatchObject({ state: 'missing', mend: 'node-agent prepare' });
    expect(find(findings, 'unit')?.mend).toBe('systemctl enable --now gpuaas-node-agent.service');
  });
});

describe('the doctor', () => {
  const noSettings = () => {
    throw new UsageFault('the settings are not right: GPUAAS_API_URL must be there');
  };

  it('looks at a host that has no settings yet, and says so as JSON for programs', async () => {
    const machine = await grow({ clock: 'yes' });
    const examination = await examine({ settings: noSettings, version: '1.0.0', machine });
    const said = JSON.parse(showExamination(examination, 'json')) as {
      well: boolean;
      makes_slices: boolean;
      findings: { check: string; state: string; mend?: string }[];
    };
    expect(said).toMatchObject({ well: false, makes_slices: false });
    expect(said.findings.filter(({ state }) => state !== 'ok')).toEqual([
      expect.objectContaining({ check: 'settings', mend: expect.stringContaining('gpuaas ops node enrol') }),
    ]);
  });

  it('counts what slices need only for a host that is meant to make them', async () => {
    const machine = await grow({ clock: 'yes' });
    await rm(join(root, 'usr/sbin/nft'));
    const findings = await runChecks(await hostChecks(machine));
    expect(isWell(findings, false)).toBe(true);
    expect(isWell(findings, true)).toBe(false);
    const text = showExamination({ findings, makesSlices: false, isWell: true }, 'text');
    expect(text).toMatch(
      /^missing {3}nft +There is no program nft\. \(for slices\)\n +mend: apt-get install -y nftables$/m,
    );
    expect(text).toMatch(/Nothing that this host needs is missing\.\n$/);
  });

  it('looks at nothing of this machine for a simulated host', async () => {
    const state = join(root, 'state');
    const settings = { GPUAAS_API_URL: 'https://127.0.0.1:1', GPUAAS_STATE_DIR: state, GPUAAS_HOST: 'simulated' };
    const machine = await grow({ bare: true });
    const { findings } = await examine({ settings: () => settings as Settings, version: '1.0.0', machine });
    expect(findings.map(({ check }) => check)).toEqual([
      ...['settings', 'runtime', 'state-folder', 'free-space', 'identity', 'node-authority', 'control-plane'],
    ]);
    expect(findings.find(({ check }) => check === 'identity')?.mend).toContain('gpuaas ops node enrol');
  });
});
