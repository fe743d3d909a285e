import { Type } from 'typebox';

/** Everything a node can be asked to do. An agent that does not know a type refuses the task and touches nothing. */
export const nodeTasks = {
  'slice.topology_discover':
    'Look at PCI devices, disks, bridges, fabric and kernel arguments, and answer with candidate slots and what still blocks the host. Advice only, until an operator approves slots.',
  'slice.vm_provision':
    'Make one slice: lease, host check, VFIO bind, image, seed, address, disk, virtual machine, and a probe that it is ready.',
  'slice.vm_release':
    'End one slice: shut the machine down, destroy it if it will not stop, wipe its disk, unbind its devices.',
  'allocation.provision_user': 'Make the login of a whole-node allocation.',
  'allocation.revoke_user': 'Take the login of a whole-node allocation away.',
  'allocation.install_authorized_keys': 'Make the SSH keys of an allocation exactly those given.',
  'allocation.restart': 'Reboot the machine of an active allocation, which stays the same allocation.',
  'node.reimage_prepare': 'Make the host ready to be imaged again.',
  'node.drain': 'Take no more work and let what runs come to its end.',
  'node.self_update': 'Replace the agent with another release, named by digest.',
  'diag.health_probe': 'Say how the host is.',
  'terminal.open': 'Open a shell for one terminal session; done when bytes can flow, not before.',
  'app.oci_launch': 'Start a container from an image named by digest.',
  'app.oci_stop': 'Stop a container.',
} as const;
export type NodeTaskType = keyof typeof nodeTasks;

export const nodeTaskTypes = Object.keys(nodeTasks) as NodeTaskType[];

export const NodeTaskType = Type.Enum(nodeTaskTypes, {
  $id: 'NodeTaskType',
  description: 'Names may be added. An agent that meets one it does not know refuses it without any effect.',
});

/**
 * Which values each task carries is not settled here yet: the schema of a task's params arrives together with the
 * handler that reads them, and until then this says only that they are an object.
 */
export const NodeTaskParams = Type.Object(
  {},
  {
    $id: 'NodeTaskParams',
    description: 'An object. Its members depend on task_type and are not declared yet; nothing may be relied upon.',
  },
);
