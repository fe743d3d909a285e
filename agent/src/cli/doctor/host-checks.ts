import { join } from 'node:path';
import { type Commands, complaintOf, systemPath } from '../../host/linux/commands.ts';
import { queryGpus } from '../../host/linux/nvidia-smi.ts';
import { hasTenantKeyLines } from '../../host/linux/ssh/sshd-settings.ts';
import { isThere, namesIn, readPciDevices, readText } from '../../host/linux/sysfs.ts';
import { type Distribution, readDistribution } from './distribution.ts';
import { type Check, degraded, missing, type Need, ok } from './finding.ts';

/** The machine that is looked at: its tree, read below `root`, and its programs. */
export interface Machine {
  readonly root: string;
  readonly commands: Commands;
}

/** What the machine itself has to have. Nothing here needs the settings of the agent. */
export async function hostChecks(machine: Machine): Promise<Check[]> {
  const distribution = await readDistribution(machine.root);
  return [
    unitCheck(machine),
    clockCheck(machine, distribution),
    ...gpuChecks(machine, distribution),
    ...programChecks(machine, distribution, tenantPrograms, 'tenants'),
    sshdCheck(machine, distribution),
    ...virtualizationChecks(machine, distribution),
    ...programChecks(machine, distribution, slicePrograms, 'slices'),
    ...programChecks(machine, distribution, [podman], 'containers'),
  ];
}

interface Program {
  /** Any one of these will do. */
  readonly anyOf: readonly string[];
  readonly debian: string;
  readonly redHat: string;
}
const plain = (name: string, debian = name, redHat = debian): Program => ({ anyOf: [name], debian, redHat });
const podman = plain('podman');
const tenantPrograms = [plain('setpriv', 'util-linux'), plain('useradd', 'passwd', 'shadow-utils')];
const slicePrograms: readonly Program[] = [
  {
    anyOf: ['qemu-system-x86_64', 'qemu-system-aarch64', 'qemu-kvm'],
    debian: 'qemu-system-x86 ovmf',
    redHat: 'qemu-kvm edk2-ovmf',
  },
  plain('virsh', 'libvirt-clients', 'libvirt-client'),
  plain('nft', 'nftables'),
  plain('dnsmasq', 'dnsmasq-base', 'dnsmasq'),
  plain('xorriso'),
  plain('ssh', 'openssh-client', 'openssh-clients'),
  plain('ip', 'iproute2', 'iproute'),
  plain('blkdiscard', 'util-linux'),
  plain('nvme', 'nvme-cli'),
];
/** Where RHEL puts its QEMU, beside the folders of programs. */
const folders = [...systemPath.split(':'), '/usr/libexec'];

function programChecks(
  { root }: Machine,
  distribution: Distribution,
  programs: readonly Program[],
  needed_for: Need,
): Check[] {
  return programs.map((program) => {
    const [title = ''] = program.anyOf;
    return {
      ...{ check: `program-${title}`, title, needed_for },
      async run() {
        for (const path of program.anyOf.flatMap((name) => folders.map((folder) => `${folder}/${name}`))) {
          if (await isThere(root, path)) return ok(path);
        }
        return missing(`There is no program ${program.anyOf.join(' or ')}.`, distribution.install(program));
      },
    };
  });
}

const unitFile = 'gpuaas-node-agent.service';
function unitCheck({ root }: Machine): Check {
  return {
    ...{ check: 'unit', title: 'service', needed_for: 'agent' },
    async run() {
      const places = ['usr/lib/systemd/system', 'lib/systemd/system', 'etc/systemd/system'];
      const found = await Promise.all(places.map((place) => isThere(root, join(place, unitFile))));
      if (!found.includes(true)) {
        return missing(`There is no ${unitFile}.`, 'install the package of the agent (install.sh, or its .deb)');
      }
      const enabled = await namesIn(root, 'etc/systemd/system/multi-user.target.wants');
      return enabled.includes(unitFile)
        ? ok('It starts with the machine.')
        : missing('It does not start with the machine.', `systemctl enable --now ${unitFile}`);
    },
  };
}

function clockCheck({ commands }: Machine, distribution: Distribution): Check {
  return {
    ...{ check: 'clock', title: 'clock', needed_for: 'agent' },
    async run() {
      const said = await commands.run(['timedatectl', 'show', '--property=NTPSynchronized', '--value']);
      if (said.status !== 0) {
        return degraded(
          `Whether the clock is right is not known: timedatectl: ${complaintOf(said)}.`,
          distribution.install({ debian: 'systemd-timesyncd', redHat: 'chrony' }),
        );
      }
      // The agent goes by the control plane's clock; certificates and logs go by this one.
      return said.stdout.trim() === 'yes'
        ? ok('It is in step with a time server.')
        : degraded('It is not in step with a time server.', 'timedatectl set-ntp true');
    },
  };
}

const isGpu = ({ vendor, class: kind }: { readonly vendor: string; readonly class: string }) =>
  vendor === '10de' && /^030[02]/.test(kind);
function gpuChecks({ root, commands }: Machine, distribution: Distribution): Check[] {
  const installDriver = distribution.install({
    debian: 'nvidia-driver nvidia-smi',
    redHat: 'nvidia-driver nvidia-driver-cuda',
  });
  const gpus = async () => (await readPciDevices(root)).filter(isGpu);
  return [
    {
      ...{ check: 'gpus', title: 'GPUs', needed_for: 'tenants' },
      async run() {
        const found = await gpus();
        return found.length > 0
          ? ok(`${found.length} of NVIDIA on the PCI bus.`)
          : missing('There is no GPU of NVIDIA on the PCI bus.', 'lspci -d 10de:   # then look at the machine itself');
      },
    },
    {
      ...{ check: 'driver', title: 'NVIDIA driver', needed_for: 'tenants' },
      async run() {
        const version = /Kernel Module.*?\s(\d+\.[\d.]+)/.exec(await readText(root, 'proc/driver/nvidia/version'))?.[1];
        return version === undefined
          ? missing('The driver is not loaded.', `${installDriver} && modprobe nvidia`)
          : ok(version);
      },
    },
    {
      ...{ check: 'nvidia-smi', title: 'nvidia-smi', needed_for: 'tenants' },
      async run() {
        const given = (await gpus()).filter(({ driver }) => driver === 'vfio-pci');
        const { gpus: answering, answers } = await queryGpus(commands);
        if (answering.length > 0 && answers.passed) return ok(`It answers for ${answering.length}.`);
        if (answering.length > 0)
          return degraded(answers.detail, 'nvidia-smi   # then restart the host, or replace the GPU');
        if (given.length > 0) return ok(`The GPUs are handed to slices: ${given.length}.`);
        return missing(answers.detail, installDriver);
      },
    },
  ];
}

function sshdCheck({ root }: Machine, distribution: Distribution): Check {
  return {
    ...{ check: 'sshd', title: 'sshd', needed_for: 'tenants' },
    async run() {
      if (!(await isThere(root, 'usr/sbin/sshd'))) {
        return missing(
          'There is no sshd.',
          distribution.install({ debian: 'openssh-server', redHat: 'openssh-server' }),
        );
      }
      return (await hasTenantKeyLines(root))
        ? ok('It reads the keys of tenants from a folder of root’s.')
        : missing('It does not read the keys of tenants.', 'node-agent prepare');
    },
  };
}

function virtualizationChecks({ root }: Machine, distribution: Distribution): Check[] {
  const iommuWords = async () =>
    (await readText(root, 'proc/cpuinfo')).includes('AuthenticAMD')
      ? 'amd_iommu=on iommu=pt'
      : 'intel_iommu=on iommu=pt';
  return [
    {
      ...{ check: 'iommu', title: 'IOMMU', needed_for: 'slices' },
      async run() {
        const units = await namesIn(root, 'sys/class/iommu');
        const groups = await namesIn(root, 'sys/kernel/iommu_groups');
        if (units.length > 0 && groups.length > 0) return ok(`${groups.length} groups.`);
        const isAsked = /\b(?:intel_iommu|amd_iommu)=on\b/.test(await readText(root, 'proc/cmdline'));
        return isAsked
          ? missing('The kernel is asked for it and has none.', 'enable VT-d or AMD-Vi in the firmware, and restart')
          : missing('It is off.', distribution.kernelArgs(await iommuWords()));
      },
    },
    {
      ...{ check: 'kvm', title: 'KVM', needed_for: 'slices' },
      run: async () =>
        (await isThere(root, 'dev/kvm'))
          ? ok('/dev/kvm')
          : missing('/dev/kvm is missing.', 'modprobe kvm_intel || modprobe kvm_amd   # or enable it in the firmware'),
    },
    {
      ...{ check: 'vfio', title: 'vfio-pci', needed_for: 'slices' },
      async run() {
        if (await isThere(root, 'sys/bus/pci/drivers/vfio-pci')) return ok('It is loaded.');
        return missing(
          'The module is not loaded.',
          'echo vfio-pci > /etc/modules-load.d/gpuaas-vfio.conf && modprobe vfio-pci',
        );
      },
    },
    {
      ...{ check: 'libvirt', title: 'libvirt', needed_for: 'slices' },
      async run() {
        for (const socket of ['libvirt-sock', 'virtqemud-sock']) {
          if (await isThere(root, `run/libvirt/${socket}`)) return ok(`/run/libvirt/${socket}`);
        }
        const install = distribution.install({
          debian: 'libvirt-daemon-system',
          redHat: 'libvirt-daemon-kvm',
        });
        return missing('Its socket is missing.', `${install} && systemctl enable --now libvirtd`);
      },
    },
  ];
}
