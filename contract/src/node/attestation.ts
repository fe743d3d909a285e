import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';

export const GpuEvidence = Type.Object(
  {
    uuid: Type.String({ pattern: '^GPU-[0-9a-f-]{36}$' }),
    model: Type.String({ minLength: 1, maxLength: 100 }),
    pci_address: Type.String({ pattern: '^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$' }),
    memory_mib: Type.Integer({ minimum: 1 }),
    healthy: Type.Boolean(),
    detail: Type.Optional(Type.String({ maxLength: 500, description: 'Why it is not healthy, for example an Xid.' })),
  },
  { $id: 'GpuEvidence' },
);
export type GpuEvidence = Static<typeof GpuEvidence>;

/** One check and its result. */
export const Proof = Type.Object(
  {
    passed: Type.Boolean(),
    detail: Type.String({ maxLength: 500 }),
  },
  { $id: 'Proof' },
);
export type Proof = Static<typeof Proof>;

/**
 * What a node attests before an allocation may become active. It travels inside a signed task result, so the signature
 * covers it together with the node, the task and the generation of the lease.
 */
export const ReadinessAttestation = Type.Object(
  {
    allocation_id: Uuid,
    taken_at: Timestamp,
    simulated: Type.Optional(
      Type.Boolean({ description: 'Whether the machine is simulated and does not exist. Older agents do not say.' }),
    ),
    gpus: Type.Array(GpuEvidence, { maxItems: 64 }),
    driver_version: Type.String({ maxLength: 50 }),
    cuda_version: Type.String({ maxLength: 50 }),
    nvidia_smi: Proof,
    disk_clean: Proof,
    isolation: Proof,
    ssh: Type.Object({
      reachable: Type.Boolean(),
      address: Type.String({ maxLength: 100 }),
      port: Type.Integer({ minimum: 1, maximum: 65_535 }),
      username: Type.String({ maxLength: 32 }),
      host_key_fingerprint: Type.String({ maxLength: 100 }),
      host_keys: Type.Optional(
        Type.Array(Type.String({ pattern: '^[a-z0-9@.-]{1,60} [A-Za-z0-9+/]{1,12000}={0,2}$' }), {
          maxItems: 8,
          description:
            'The public host keys of sshd, so that nobody has to trust one on first use. Older agents leave it out.',
        }),
      ),
    }),
    durations_ms: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'How long each phase took, by its name.',
    }),
  },
  { $id: 'ReadinessAttestation' },
);
export type ReadinessAttestation = Static<typeof ReadinessAttestation>;
