import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { answerWithinMs } from '../facts.ts';
import { TaskAnswer } from '../tasks/answers.ts';
import { askItself, type NodeSagaParts } from './parts.ts';
import { readNode, type SagaNode } from './store.ts';

/** One drain of one node. A drain that was called off and asked for again has another deadline. */
export interface Drain {
  readonly nodeId: string;
  readonly deadlineAt: string;
}

/**
 * The beginning of a drain: tenants are notified, and the node takes no more work. The rest takes up to weeks and ends
 * when the last tenant has left, when the deadline passes or when an operator cancels it. No step sleeps through that:
 * `drains.ts` compares desired with actual state, is woken when slots come free, and waits for no answer. The saga has
 * only what must happen once. A silent node is drained all the same: it got no new work since the request.
 */
export const makeDrain = (parts: NodeSagaParts) =>
  defineSaga<Drain>('node.drain', 1)
    .step('notify', {
      do: async ({ act, params }) => {
        const node = await parts.db.read(act, (tx) => readNode(tx, params.nodeId));
        if (!node || !isThisDrain(params)(node)) return new Halt(`The node is ${node?.state ?? 'gone'}.`);
        return { told: await parts.tenants.notify(params.nodeId, params.deadlineAt) };
      },
      undo: { none: 'What was said is said, and stays true: the node is draining.' },
    })
    .wait('heard', {
      ask: ({ act, params }, token) =>
        askItself(parts, act, params.nodeId, token, {
          type: 'node.drain',
          params: { deadline_at: params.deadlineAt },
          allowed: isThisDrain(params),
          ttlSeconds: parts.taskSeconds('short'),
        }),
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

const isThisDrain =
  ({ deadlineAt }: Drain) =>
  (node: SagaNode): boolean =>
    node.state === 'draining' && node.drain_deadline_at?.toISOString() === deadlineAt;
