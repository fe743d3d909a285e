import { nodeAdmitted } from '@gpuaas/contract';
import type { TaskOutput } from '@gpuaas/contract/node';
import type { Act } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { answerWithinMs } from '../facts.ts';
import { advanceNode } from '../machine.ts';
import { TaskAnswer } from '../tasks/answers.ts';
import { askItself, failureIn, type NodeSagaParts, quarantine } from './parts.ts';
import { aboutNode, holdNode, readNode, type SagaNode } from './store.ts';

/** One enrolment of one node. A host that enrols again is another newcomer, and the run for the first is late. */
export interface Newcomer {
  readonly nodeId: string;
  readonly enrolledAt: string;
}

/**
 * From the first report to service: the node is discovered, passes a health probe, and is admitted. The discovery is
 * stored by the code that takes the result, as for one that an operator requests. A node that does not answer within
 * the life of a task, fails one, or is not healthy is quarantined with the reason: nothing runs there yet, so there is
 * nothing to undo. An admitted node is not used yet; an operator approves its slots and publishes it.
 */
export const makeOnboard = (parts: NodeSagaParts) =>
  defineSaga<Newcomer>('node.onboard', 1)
    .step('welcome', {
      do: ({ act, params }) => welcome(parts, act, params),
      undo: ({ act, params, done }) => quarantine(parts, act, params.nodeId, reasonIn(done), isNewcomer(params)),
    })
    .wait('topology', {
      ask: ({ act, params }, token) =>
        askItself(parts, act, params.nodeId, token, {
          type: 'slice.topology_discover',
          params: {},
          allowed: isNewcomer(params),
          ttlSeconds: parts.taskSeconds('short'),
        }),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'What a node is made of stays known.' },
    })
    .step('known', {
      do: async ({ done }) =>
        done.topology.outcome === 'succeeded' ? { known: true } : new Halt(failureIn(done.topology)),
      undo: { none: 'Nothing was changed.' },
    })
    .wait('health', {
      ask: ({ act, params }, token) =>
        askItself(parts, act, params.nodeId, token, {
          type: 'diag.health_probe',
          params: {},
          allowed: isNewcomer(params),
          ttlSeconds: parts.taskSeconds('short'),
        }),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'Looking changes nothing.' },
    })
    .step('admit', {
      do: ({ act, params, done }) => {
        const problem = illnessIn(done.health);
        return problem === undefined ? admit(parts, act, params) : Promise.resolve(new Halt(problem));
      },
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

const isNewcomer =
  ({ enrolledAt }: Newcomer) =>
  (node: SagaNode): boolean =>
    node.state === 'enrolling' && node.enrolled_at?.toISOString() === enrolledAt;

/** Undefined when the host says that it is well. */
function illnessIn(answer: TaskAnswer): string | undefined {
  if (answer.outcome !== 'succeeded') return failureIn(answer);
  const { healthy, checks } = answer.output as TaskOutput<'diag.health_probe'>;
  if (healthy) return undefined;
  const failed = Object.entries(checks).filter(([, { passed }]) => !passed);
  return failed.map(([name, { detail }]) => `${name}: ${detail}`).join('; ') || 'the host says that it is not well';
}

function reasonIn(done: unknown): string {
  const { topology, health } = done as { readonly topology?: TaskAnswer; readonly health?: TaskAnswer };
  if (topology?.outcome !== 'succeeded') {
    return `It did not say what it is made of (${topology ? failureIn(topology) : 'nobody heard it in time'}).`;
  }
  if (!health) return 'It did not prove its health (nobody heard it in time).';
  return `It did not prove its health (${illnessIn(health) ?? 'it could not be admitted in time'}).`;
}

async function welcome(parts: NodeSagaParts, act: Act, params: Newcomer): Promise<Newcomer | Halt> {
  const node = await parts.db.read(act, (tx) => readNode(tx, params.nodeId));
  return node && isNewcomer(params)(node) ? params : new Halt(`The node is ${node?.state ?? 'gone'}.`);
}

async function admit(parts: NodeSagaParts, act: Act, params: Newcomer): Promise<{ readonly admitted: true } | Halt> {
  const outcome = await parts.db.write(act, async (tx) => {
    const node = await holdNode(tx, params.nodeId);
    if (!node || !isNewcomer(params)(node)) {
      return tx.abandon(
        new Fault('illegal_transition', `The node is ${node?.state ?? 'gone'}.`, { state: node?.state }),
      );
    }
    const moved = await advanceNode(tx, node.id, 'admit');
    if (!moved || moved instanceof Fault) throw moved ?? new Error(`node ${node.id} was held and is gone`);
    return tx.commit(undefined, {
      target: { type: 'node', id: node.id },
      change: { state: [moved.from, moved.to] },
      events: [nodeAdmitted.of(node.id, aboutNode(node))],
    });
  });
  // Found as an earlier try of this step left it.
  const admitted = !(outcome instanceof Fault) || (outcome.details as { state?: string }).state === 'active';
  return admitted ? { admitted: true } : new Halt((outcome as Fault).message);
}
