import { nodeReimaged } from '@gpuaas/contract';
import type { TaskOutput, TaskParams } from '@gpuaas/contract/node';
import type { Act } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { defineSaga, Halt } from '../../../kernel/saga.ts';
import { answerWithinMs } from '../facts.ts';
import { mayBeReimaged } from '../rules/node.ts';
import { TaskAnswer } from '../tasks/answers.ts';
import { askItself, failureIn, type NodeSagaParts, quarantine } from './parts.ts';
import { aboutNode, holdings, holdNode, readNode, replaceImages, type SagaNode } from './store.ts';

/**
 * Has another system image the host, and the token answered as the node would answer. Undefined when no other system looks after
 * the node.
 */
export type AskReimage = (
  act: Act,
  of: { readonly nodeId: string; readonly organizationId?: string | undefined; readonly reason: string },
  token: string,
) => Promise<'asked' | Halt | undefined>;
/** Where no other system images hosts: each agent is asked. */
export const agentsOnly: AskReimage = async () => undefined;

export interface Reimage {
  readonly nodeId: string;
  readonly image: TaskParams<'node.reimage_prepare'>['image'];
}

/**
 * A host that takes no work and holds nothing is imaged again, and proves it. With the proof it has that image and no
 * other, and stays what it was until an operator takes it back; without, nobody knows what is on it, and it is
 * quarantined with the reason.
 */
export const makeReimage = (parts: NodeSagaParts, askReimage: AskReimage = agentsOnly) =>
  defineSaga<Reimage>('node.reimage', 1)
    .step('hold', {
      do: async ({ act, params }) => {
        const [node, held] = await parts.db.read(act, async (tx) => [
          await readNode(tx, params.nodeId),
          await holdings(tx, params.nodeId),
        ]);
        if (!node || !mayBeReimaged(node)) return new Halt(`The node is ${node?.state ?? 'gone'}.`);
        return held.length > 0 ? new Halt(held.join(' ')) : params;
      },
      undo: ({ act, params, done }) => quarantine(parts, act, params.nodeId, reasonIn(done), isThere),
    })
    .wait('reimaged', {
      ask: async ({ act, params }, token) => {
        const reason = 'An operator has it imaged again.';
        const asked = await askReimage(act, { nodeId: params.nodeId, reason }, token);
        if (asked !== undefined) return asked;
        return askItself(parts, act, params.nodeId, token, {
          type: 'node.reimage_prepare',
          params: { image: params.image },
          allowed: mayBeReimaged,
          ttlSeconds: parts.taskSeconds('provision'),
        });
      },
      answer: TaskAnswer,
      timeoutMs: answerWithinMs,
      undo: { none: 'What is on the host now cannot be undone; the undo of the first step keeps it from being used.' },
    })
    .step('prove', {
      do: ({ act, params, done }) => {
        const problem = doubtIn(done.reimaged);
        return problem === undefined ? keep(parts, act, params) : Promise.resolve(new Halt(problem));
      },
      undo: { none: 'The last step: nothing follows that could fail.' },
    });

const isThere = ({ state }: SagaNode): boolean => state !== 'removing' && state !== 'deleted';

function doubtIn(answer: TaskAnswer): string | undefined {
  if (answer.outcome !== 'succeeded') return failureIn(answer);
  const { reimaged } = answer.output as TaskOutput<'node.reimage_prepare'>;
  return reimaged.passed ? undefined : reimaged.detail;
}
function reasonIn(done: unknown): string {
  const { reimaged } = done as { readonly reimaged?: TaskAnswer };
  const problem = reimaged ? doubtIn(reimaged) : 'nobody heard it in time';
  return `It could not be proven that it was imaged again (${problem ?? 'the proof could not be kept'}).`;
}

async function keep(parts: NodeSagaParts, act: Act, { nodeId, image }: Reimage): Promise<{ proven: true } | Halt> {
  const outcome = await parts.db.write(act, async (tx) => {
    const node = await holdNode(tx, nodeId);
    if (!node || !isThere(node)) {
      return tx.abandon(new Fault('illegal_transition', `The node is ${node?.state ?? 'gone'}.`));
    }
    await replaceImages(tx, nodeId, image);
    return tx.commit(undefined, {
      target: { type: 'node', id: nodeId },
      change: { image: image.slug, digest: image.digest },
      events: [nodeReimaged.of(nodeId, { ...aboutNode(node), image: image.slug, digest: image.digest })],
    });
  });
  return outcome instanceof Fault ? new Halt(outcome.message) : { proven: true };
}
