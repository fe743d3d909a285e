import { type Static, Type } from 'typebox';

const PciAddress = Type.String({ pattern: '^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$' });

/** One GPU with everything that a slice of it needs, all on the same side of the machine. */
export const SlotCandidate = Type.Object(
  {
    slot_index: Type.Integer({ minimum: 0, maximum: 255 }),
    gpu_uuid: Type.String({ pattern: '^GPU-[0-9a-f-]{36}$' }),
    gpu_model: Type.String({ minLength: 1, maxLength: 100 }),
    gpu_memory_mib: Type.Integer({ minimum: 1 }),
    pci_address: PciAddress,
    fabric_vf_pci_address: Type.Union([PciAddress, Type.Null()]),
    nvme_device: Type.Union([Type.String({ pattern: '^/dev/[a-z0-9/_-]{1,100}$' }), Type.Null()]),
    mac_address: Type.Union([Type.String({ pattern: '^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$' }), Type.Null()]),
    private_ip: Type.Union([Type.String({ maxLength: 45 }), Type.Null()]),
    numa_node: Type.Integer({ minimum: -1, maximum: 63 }),
    blockers: Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 20,
      description: 'Why this one could not be handed out as it is; empty when it could.',
    }),
  },
  { $id: 'SlotCandidate' },
);
export type SlotCandidate = Static<typeof SlotCandidate>;

/**
 * What a host may be able to do besides being rented out whole:
 * `slices` virtual machines on parts of it, `oci` containers from images named by digest, `reimage` imaging its own disks anew,
 * `partitions` NVSwitch partitions that follow the slices, `fabric` fabric functions that it keeps apart for each tenant,
 * `ssh_certificates` machines that let certificates of our authority in.
 */
export const hostAbilities = ['slices', 'oci', 'reimage', 'partitions', 'fabric', 'ssh_certificates'] as const;
export type HostAbility = (typeof hostAbilities)[number];
export const HostCapability = Type.Object(
  {
    ability: Type.Enum([...hostAbilities]),
    able: Type.Boolean(),
    why_not: Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
      description: 'What is missing, in a sentence; null when the host is able.',
    }),
  },
  { $id: 'HostCapability' },
);
export type HostCapability = Static<typeof HostCapability>;

/** What a host is made of, as it sees itself. Advice only, until an operator approves slots. */
export const HostTopology = Type.Object(
  {
    hostname: Type.String({ maxLength: 253 }),
    simulated: Type.Optional(
      Type.Boolean({ description: 'Whether the host is simulated: no such machine exists. Older agents do not say.' }),
    ),
    kernel: Type.String({ maxLength: 200 }),
    cpu_count: Type.Integer({ minimum: 1 }),
    memory_mib: Type.Integer({ minimum: 1 }),
    numa_nodes: Type.Array(
      Type.Object({
        id: Type.Integer({ minimum: 0 }),
        cpus: Type.String({ maxLength: 500 }),
        memory_mib: Type.Integer(),
      }),
      { maxItems: 64 },
    ),
    driver_version: Type.Union([Type.String({ maxLength: 50 }), Type.Null()]),
    cuda_version: Type.Union([Type.String({ maxLength: 50 }), Type.Null()]),
    slots: Type.Array(SlotCandidate, { maxItems: 64 }),
    capabilities: Type.Optional(
      Type.Array(HostCapability, {
        maxItems: 20,
        description:
          'What the host can do. An ability that is not listed is one that the host does not have. Older agents do not say.',
      }),
    ),
    prerequisites: Type.Object({
      kvm_available: Type.Boolean(),
      iommu_group_count: Type.Integer({ minimum: 0 }),
      iommu_kernel_args: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 }),
      cloud_localds_available: Type.Boolean(),
    }),
    blockers: Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 50,
      description: 'What keeps the whole host from serving slices, in sentences.',
    }),
  },
  { $id: 'HostTopology' },
);
export type HostTopology = Static<typeof HostTopology>;
