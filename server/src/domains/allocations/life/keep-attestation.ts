import type { ReadinessAttestation } from '@gpuaas/contract/node';
import type { WriteTx } from '../../../kernel/act.ts';
import type { TaskAnswer } from '../../nodes/index.ts';
import { findProblems } from './attestation.ts';
import type { LeasedAllocation } from './leased.ts';
import type { LifeParts } from './parts.ts';
import { findAttestation, insertAttestation } from './store.ts';

export interface KeptAttestation {
  readonly attestationId: string;
  readonly problems: string[];
  /** The way in by SSH, as the node reports it. */
  readonly access: ReadinessAttestation['ssh'];
}

// The result was checked against the declared output of its task when it was taken.
const attestationIn = (answer: TaskAnswer) =>
  (answer.output as { readonly attestation: ReadinessAttestation }).attestation;

/** Compares the attestation in a node's answer with what the allocation was promised. */
export const problemsIn = (leased: LeasedAllocation, answer: TaskAnswer): string[] =>
  findProblems(leased.promised, attestationIn(answer));

/** Keeps an attestation for ever, with its problems. A task has one attestation: the first that was kept. */
export async function keepAttestation(
  tx: WriteTx,
  parts: Pick<LifeParts, 'ids'>,
  leased: LeasedAllocation,
  answer: TaskAnswer,
): Promise<KeptAttestation> {
  const attestation = attestationIn(answer);
  const problems = problemsIn(leased, answer);
  // Sent together: the second statement finds the row of the first, or one that was kept before.
  const [, [kept]] = await Promise.all([
    tx.run(insertAttestation, [
      ...[parts.ids.next(), leased.id, leased.organizationId, leased.nodeId, answer.task_id, leased.generation],
      ...[problems.length === 0, problems, JSON.stringify(attestation), JSON.stringify(answer.signed_result)],
      attestation.taken_at,
    ]),
    tx.rows<{ id: string; problems: string[] }>(findAttestation, [answer.task_id]),
  ]);
  if (!kept) throw new Error('an attestation that was just kept is not there');
  return { attestationId: kept.id, problems: kept.problems, access: attestation.ssh };
}
