import { provisioningAttested } from '@gpuaas/contract';
import type { Act } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { mostWords, replaceAlerts } from '../../attention/index.ts';
import type { TaskAnswer } from '../../nodes/index.ts';
import { keepAttestation } from './keep-attestation.ts';
import { readLeased } from './leased.ts';
import { noteAllocation } from './machine.ts';
import type { LifeParts, OfLease } from './parts.ts';

export type Occasion = 'interval' | 'restart';

/** Keeps the attestation of an active allocation, and answers its problems. */
export async function keepReattestation(
  parts: LifeParts,
  act: Act,
  lease: OfLease,
  answer: TaskAnswer,
): Promise<{ readonly problems: string[] }> {
  if (answer.outcome !== 'succeeded') {
    return { problems: [answer.failure?.message ?? 'The node did not answer in time.'] };
  }
  const outcome = await parts.db.write(act, async (tx) => {
    const leased = await readLeased(tx, lease.allocationId);
    if (!leased || leased.generation !== lease.generation) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation has another lease by now.'));
    }
    const kept = await keepAttestation(tx, parts, leased, answer);
    return tx.commit(kept, {
      target: { type: 'allocation', id: leased.id },
      change: { attestation: kept.attestationId, passed: kept.problems.length === 0, problems: kept.problems },
      organizationId: leased.organizationId,
      events: 'none',
    });
  });
  return { problems: outcome instanceof Fault ? [outcome.message] : outcome.value.problems };
}

/** Reports the outcome: an alert while there are problems, a line of the timeline, an event. The state stays `active`. */
export async function reportReattestation(
  parts: LifeParts,
  act: Act,
  { allocationId, generation }: OfLease,
  occasion: Occasion,
  problems: readonly string[],
): Promise<void> {
  await parts.db.write(act, async (tx) => {
    const leased = await readLeased(tx, allocationId);
    if (!leased || leased.generation !== generation || leased.state !== 'active') {
      return tx.abandon(new Fault('illegal_transition', 'The allocation is not active any more.'));
    }
    const passed = problems.length === 0;
    // The alert only informs: a tenant with root can cause these problems, so they are not held against the host.
    await replaceAlerts(
      tx,
      { source: 'attestation', nodeId: leased.nodeId, allocationId },
      passed
        ? []
        : [
            {
              ...{ kind: 'attestation_failed', effect: 'informs', slotId: null, allocationId },
              message: problems.join(' ').slice(0, mostWords),
              tenantMessage: 'The last check from inside did not find everything that was promised.',
            },
          ],
    );
    await noteAllocation(tx, allocationId, {
      ids: parts.ids,
      correlationId: act.correlationId,
      kind: 'note',
      name: passed ? 'attested' : 'attestation_failed',
      detail: { occasion, problems },
    });
    return tx.commit(undefined, {
      target: { type: 'allocation', id: allocationId },
      change: { attested: passed, occasion, problems },
      organizationId: leased.organizationId,
      events: [
        provisioningAttested.of(allocationId, {
          allocation_id: allocationId,
          organization_id: leased.organizationId,
          project_id: leased.projectId,
          version: leased.version,
          simulated: leased.simulated,
          generation,
          occasion,
          passed,
          problems: [...problems],
        }),
      ],
    });
  });
}
