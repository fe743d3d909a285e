import type { ReadinessAttestation, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import { HostFailure, type Work } from '../../port.ts';
import { troubleIn } from '../../trouble.ts';
import { slotIndexesOf } from '../leases.ts';
import type { HostParts } from '../parts.ts';
import { addressesOf } from './devices.ts';
import { buildSlice } from './provision.ts';
import { releaseSlice } from './release.ts';

/** Virtual machines on parts of the host. */
export const makeSlices = (parts: HostParts) => ({
  provision: (params: TaskParams<'slice.vm_provision'>, work: Work) => provision(parts, params, work),
  release: (params: TaskParams<'slice.vm_release'>, work: Work): Promise<TaskOutput<'slice.vm_release'>> =>
    releaseSlice(parts, params, work),
  attest: (allocationId: string) => attest(parts, allocationId),
});

async function provision(
  parts: HostParts,
  params: TaskParams<'slice.vm_provision'>,
  work: Work,
): Promise<ReadinessAttestation> {
  await buildSlice(parts, params, work);
  const seen = attest(parts, params.allocation_id);
  const trouble = troubleIn(seen, params.expect);
  if (trouble) {
    await parts.faults.spend(trouble.code);
    throw new HostFailure(trouble.code, trouble.message);
  }
  return seen;
}

function attest({ hardware, store, evidence }: HostParts, allocationId: string): ReadinessAttestation {
  const machine = store.now.machines[allocationId];
  if (!machine) throw new HostFailure('not_found', `There is no machine of allocation ${allocationId}.`);
  return evidence.attestation({
    allocationId,
    runtime: machine,
    slotIndexes: slotIndexesOf(hardware, addressesOf(machine.slots)),
  });
}
