/**
 * Faults that can be injected. Each stands for one failure of real hosts and leads to the error that a real host would
 * report. A fault acts on the host only, never on the control plane.
 */
export const simulatedFaults = {
  xid_79: 'A GPU has fallen off the bus: gpu_unhealthy at launch, a condition while it is in use.',
  gpu_missing: 'One GPU is missing: gpu_missing for an allocation that was promised it.',
  gpu_mismatch: 'One GPU was swapped for another: gpu_mismatch for an allocation that was promised the old one.',
  driver_unavailable: 'The driver is missing and its packages cannot be fetched: driver_unavailable.',
  wrong_driver: 'Driver and libraries have different versions, so nvidia-smi fails: driver_unavailable.',
  dirty_disk: 'A disk keeps old data: disk_dirty before a launch, wipe_unverified after a release.',
  leaky_bridge: 'One guest can reach another: isolation_failed.',
  deaf_guest: 'A guest ignores its shutdown and is destroyed when its time is over.',
  hung_guest: 'A guest ignores its shutdown and cannot be destroyed: guest_hung, until a forced release ends it.',
  vfio_stuck: 'A device does not change its driver: vfio_stuck, at bind and at unbind.',
  image_unavailable: 'The image cannot be fetched: image_unavailable.',
  slow_image: 'The image download is ten times slower.',
  disk_full: 'The disk has no room for the image: disk_full.',
  machine_failed: 'The virtual machine does not start: machine_failed.',
  ssh_unreachable: 'The machine is up, but its SSH port does not answer: ssh_unreachable.',
  user_remains: 'A process of the user does not end: user_remains.',
  mirror_away: 'The machine of a slice cannot install its driver at the first boot: guest_setup_failed.',
  silent_guest: 'Machines of slices report no measurements.',
  idle_guest: 'No GPU computes: utilization is zero.',
  overheating: 'A GPU is too hot and slows down: a condition that informs, and a throttle reason in its measurements.',
  memory_errors:
    'Memory errors of a GPU could not be corrected: gpu_unhealthy at launch, a condition while it is in use.',
  container_crash: 'A container ends with an error right after its start: container_failed.',
  container_hung: 'A launch of a container makes no progress until it is called off.',
  agent_lost: 'The agent is stopped and nothing reports; running machines continue.',
} as const;
export type FaultName = keyof typeof simulatedFaults;
export const faultNames = Object.keys(simulatedFaults) as FaultName[];
