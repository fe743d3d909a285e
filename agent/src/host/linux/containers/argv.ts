import type { TaskParams } from '@gpuaas/contract/node';
import type { Argv } from '../commands.ts';
import { type ContainerSettings, nameOf, type Places } from './settings.ts';

/**
 * Every command about containers. Each is a list of words with no shell in front of it. Words of a tenant stand where podman reads a
 * value, or behind the image, where it reads no options any more; the values of variables are in a file.
 */
export type LaunchOrder = TaskParams<'app.oci_launch'>;

export const podmanIn =
  (places: Places, settings: ContainerSettings) =>
  (...words: string[]): Argv => [
    'env',
    // Nothing that podman would read by itself counts here: no settings, hooks, mirrors or logins of the machine.
    `CONTAINERS_CONF=${places.engine}`,
    `CONTAINERS_REGISTRIES_CONF=${places.registries}`,
    'podman',
    '--log-level=error',
    // On some distributions mounts.conf puts secrets of the machine, such as its subscription, into every container.
    `--default-mounts-file=${places.noMounts}`,
    `--root=${places.storage}`,
    `--runroot=${settings.runRoot}`,
    '--storage-driver=overlay',
    ...words,
  ];

/** The settings of the engine. A hook of the machine could hand GPUs to a container that names them in a variable. */
export const engineSettings = (places: Places, settings: ContainerSettings): string => `[containers]
default_capabilities = []
default_ulimits = ["nofile=${settings.ulimits.files}:${settings.ulimits.files}", "nproc=${settings.ulimits.processes}:${settings.ulimits.processes}"]
env_host = false
http_proxy = false
[engine]
cgroup_manager = "${settings.cgroupManager}"
events_logger = "none"
hooks_dir = ["${places.hooks}"]
image_copy_tmp_dir = "${places.fetching}"
runtime = "${settings.runtime}"
[network]
network_backend = "netavark"
`;
export const registrySettings = 'unqualified-search-registries = []\nshort-name-mode = "enforcing"\n';

export const pull = (image: string, authFile: string, certificates: string | undefined): string[] => [
  'pull',
  '--quiet',
  '--tls-verify=true',
  `--authfile=${authFile}`,
  ...(certificates === undefined ? [] : [`--cert-dir=${certificates}`]),
  '--',
  `docker://${image}`,
];

const mib = (size: number) => `${size}m`;
const labelsOf = ({ allocation_id, workload_id, labels }: LaunchOrder, spec: string) => ({
  'gpuaas.allocation': allocation_id,
  'gpuaas.workload': workload_id,
  'gpuaas.instance': labels.instance_id,
  'gpuaas.component': labels.component,
  'gpuaas.correlation': labels.correlation_id,
  'gpuaas.spec': spec,
});
const small = 'ro,nosuid,nodev,noexec,rprivate';
/** What is mounted into a container: where it comes from, where it appears, and how. */
export const mountsOf = (order: LaunchOrder, places: Places) => {
  const files = places.files(order.allocation_id, order.workload_id);
  return [
    { from: `${files}/hosts`, to: '/etc/hosts', how: small },
    { from: `${files}/resolv.conf`, to: '/etc/resolv.conf', how: small },
    ...order.volumes.map(({ name, path, read_only }) => ({
      from: places.mount(order.allocation_id, name),
      to: path,
      how: `${read_only ? 'ro' : 'rw'},nosuid,nodev,rprivate`,
    })),
  ];
};

export function create(parts: {
  readonly order: LaunchOrder;
  readonly spec: string;
  readonly imageId: string;
  readonly places: Places;
  readonly logMib: number;
}): string[] {
  const { order, places, imageId } = parts;
  const { limits, root } = order;
  const name = nameOf(order.workload_id);
  return [
    'create',
    `--name=${name}`,
    ...Object.entries(labelsOf(order, parts.spec)).map(([key, value]) => `--label=${key}=${value}`),
    '--pull=never',
    `--network=ns:/run/netns/${name}`,
    `--hostname=${order.labels.component}`,
    '--no-hosts',
    ...mountsOf(order, places).map(({ from, to, how }) => `--volume=${from}:${to}:${how}`),
    `--env-file=${places.files(order.allocation_id, order.workload_id)}/env`,
    `--user=${order.user.uid}:${order.user.gid}`,
    '--cap-drop=all',
    '--security-opt=no-new-privileges',
    `--pids-limit=${limits.pids}`,
    `--memory=${mib(limits.memory_mib)}`,
    `--memory-swap=${mib(limits.memory_mib)}`,
    `--cpus=${limits.cpu_millis / 1_000}`,
    `--shm-size=${mib(limits.shm_mib)}`,
    `--tmpfs=/tmp:rw,nosuid,nodev,size=${mib(limits.scratch_mib)},mode=1777`,
    ...(root.kind === 'read_only'
      ? ['--read-only', '--read-only-tmpfs=false']
      : [`--storage-opt=size=${mib(root.size_mib)}`]),
    ...['--ipc=private', '--pid=private', '--uts=private', '--cgroupns=private'],
    // An image may ask for volumes that have no limit, and for checks that run beside the container.
    ...['--image-volume=ignore', '--systemd=false', '--no-healthcheck', '--http-proxy=false', '--restart=no'],
    // The agent is dear to the machine when memory is short; what it starts is not.
    '--oom-score-adj=500',
    '--log-driver=k8s-file',
    `--log-opt=path=${places.log(order.allocation_id, order.workload_id)}`,
    `--log-opt=max-size=${parts.logMib}mb`,
    ...order.gpu_uuids.map((uuid) => `--device=nvidia.com/gpu=${uuid}`),
    ...(order.command ? [`--entrypoint=${JSON.stringify(order.command)}`] : []),
    '--',
    imageId,
    ...order.args,
  ];
}

export const start = (workloadId: string): string[] => ['start', '--', nameOf(workloadId)];
export const stop = (workloadId: string, graceSeconds: number): string[] => [
  'stop',
  '--ignore',
  `--time=${graceSeconds}`,
  '--',
  nameOf(workloadId),
];
export const remove = (workloadId: string): string[] => [
  'rm',
  '--force',
  '--ignore',
  '--time=0',
  '--',
  nameOf(workloadId),
];
export const inspect = (workloadId: string): string[] => ['container', 'inspect', '--', nameOf(workloadId)];
export const inspectImage = (image: string): string[] => ['image', 'inspect', '--', image];
export const listOf = (allocationId: string): string[] => [
  'ps',
  '--all',
  '--quiet',
  '--no-trunc',
  `--filter=label=gpuaas.allocation=${allocationId}`,
];
/** Images that no container has. */
export const pruneImages: string[] = ['image', 'prune', '--all', '--force'];
