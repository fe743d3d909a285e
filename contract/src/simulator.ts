/**
 * What can go wrong on demand. Each fault stands for one thing that goes wrong on real hosts, and leads to the failure
 * that a real host would report: nothing here reaches past the host into the control plane.
 */
export const simulatedFaults = {
  xid_79: 'A GPU has fallen off the bus: gpu_unhealthy when it is to be handed over, a condition while it is in use.',
  gpu_missing: 'One GPU is not there at all: gpu_missing for whoever was promised it.',
  gpu_mismatch: 'One GPU was swapped for another: gpu_mismatch for whoever was promised the old one.',
  driver_unavailable: 'The driver is not there and its packages cannot be fetched: driver_unavailable.',
  wrong_driver: 'Driver and libraries are of different versions, so nvidia-smi fails: driver_unavailable.',
  dirty_disk: 'A disk keeps what was on it: disk_dirty before a handover, wipe_unverified after a release.',
  leaky_bridge: 'One guest can reach another: isolation_failed.',
  hung_guest: 'A guest ignores its shutdown: guest_hung, until it is released without grace and destroyed.',
  vfio_stuck: 'A device does not change its driver: vfio_stuck, at binding and at unbinding.',
  image_unavailable: 'The image cannot be fetched: image_unavailable.',
  slow_image: 'The image comes ten times as slowly.',
  disk_full: 'There is no room for the image: disk_full.',
  machine_failed: 'The virtual machine does not start: machine_failed.',
  ssh_unreachable: 'The machine is up, but nobody answers at its SSH port: ssh_unreachable.',
  user_remains: 'A process of the user does not end: user_remains.',
  idle_guest: 'Nobody computes: utilization is zero.',
  agent_lost: 'The agent is gone and nothing reports; what runs keeps running.',
} as const;
export type FaultName = keyof typeof simulatedFaults;
export const faultNames = Object.keys(simulatedFaults) as FaultName[];
