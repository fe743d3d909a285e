import type { ReadinessAttestation } from '@gpuaas/contract/node';
import { type Act, sql, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { Halt } from '../../../kernel/saga.ts';
import type { TaskAnswer } from '../../nodes/index.ts';
import { judgeAttestation } from '../life/attestation.ts';
import { type Order, readOrder } from '../life/order.ts';
import type { OfLease, SagaParts } from './parts.ts';

const insertAttestation = sql(
  'attestation-insert',
  `insert into readiness_attestations (id, allocation_id, organization_id, node_id, task_id, generation, passed, problems,
     document, signed_result, taken_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (task_id) do nothing`,
);
const findAttestation = sql(
  'attestation-by-task',
  'select id, passed, problems from readiness_attestations where task_id = $1 and mine(organization_id)',
);
export interface Judged {
  readonly attestationId: string;
  readonly problems: string[];
  /** Where it is reached, as the node says. */
  readonly access: ReadinessAttestation['ssh'];
}

// The result was checked against the declared output of its task when it was taken.
const swornIn = (answer: TaskAnswer) => (answer.output as { readonly attestation: ReadinessAttestation }).attestation;

/** What is wrong about what a node swore to. */
export const judge = (order: Order, answer: TaskAnswer): string[] => judgeAttestation(order.promised, swornIn(answer));

/** Keeps what a node swore to, for ever, with what was wrong about it. One task swears once. */
export async function keepIn(tx: WriteTx, parts: SagaParts, order: Order, answer: TaskAnswer): Promise<Judged> {
  const attestation = swornIn(answer);
  const problems = judge(order, answer);
  // Sent together: the second finds what the first has kept, or what was kept before.
  const [, [kept]] = await Promise.all([
    tx.run(insertAttestation, [
      ...[parts.ids.next(), order.id, order.organizationId, order.nodeId, answer.task_id, order.generation],
      ...[problems.length === 0, problems, JSON.stringify(attestation), JSON.stringify(answer.signed_result)],
      attestation.taken_at,
    ]),
    tx.rows<{ id: string; problems: string[] }>(findAttestation, [answer.task_id]),
  ]);
  if (!kept) throw new Error('an attestation that was just kept is not there');
  return { attestationId: kept.id, problems: kept.problems, access: attestation.ssh };
}

/** What a node swore to about an allocation that goes on whatever comes of it. */
export async function keepAttestation(
  parts: SagaParts,
  act: Act,
  lease: OfLease,
  answer: TaskAnswer,
): Promise<Judged | Halt> {
  if (answer.outcome !== 'succeeded') return new Halt(answer.failure?.message ?? 'The node did not answer in time.');
  const outcome = await parts.db.write(act, async (tx) => {
    const order = await readOrder(tx, lease.allocationId);
    if (!order || order.generation !== lease.generation) {
      return tx.abandon(new Fault('illegal_transition', 'The allocation has another lease by now.'));
    }
    const judged = await keepIn(tx, parts, order, answer);
    return tx.commit(judged, {
      target: { type: 'allocation', id: order.id },
      change: { attestation: judged.attestationId, passed: judged.problems.length === 0, problems: judged.problems },
      organizationId: order.organizationId,
      events: 'none',
    });
  });
  return outcome instanceof Fault ? new Halt(outcome.message) : outcome.value;
}
