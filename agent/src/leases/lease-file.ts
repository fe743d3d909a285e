import { HeldLease } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

/**
 * What is written on a slot's door: whose it is, by which generation of the lease, until when, and whether the last
 * holder's traces are gone. The file outlives its lease, so that a late task of an earlier holder meets it.
 */
export const LeaseFile = Type.Object({
  /** `null` for the lease of a whole node. */
  slot_id: Type.Union([HeldLease.properties.allocation_id, Type.Null()]),
  allocation_id: HeldLease.properties.allocation_id,
  generation: HeldLease.properties.generation,
  state: Type.Enum(['provisioning', 'running', 'stopped', 'releasing', 'ended', 'unknown']),
  deadline_at: HeldLease.properties.deadline_at,
  /** The control plane had everything removed and proven. A lease that ended at its deadline is not yet cleared. */
  cleared: Type.Boolean(),
  /** Earlier holders, newest first. */
  past: Type.Array(
    Type.Object({
      allocation_id: HeldLease.properties.allocation_id,
      generation: HeldLease.properties.generation,
    }),
  ),
});
export type LeaseFile = Static<typeof LeaseFile>;

const leaseFile = Compile(LeaseFile);
const mostPast = 16;

export function parseLeaseFile(text: string | undefined): LeaseFile | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return leaseFile.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Earlier holders with one more among them, each once and with its latest generation. */
export const withPast = (file: LeaseFile): LeaseFile['past'] =>
  [
    { allocation_id: file.allocation_id, generation: file.generation },
    ...file.past.filter((one) => one.allocation_id !== file.allocation_id),
  ].slice(0, mostPast);
