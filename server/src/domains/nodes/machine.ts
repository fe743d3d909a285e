import { nodeMachine, type StatesOf, type Transition } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { makeAdvance } from '../../kernel/machine.ts';
import { lockSql, moveSql } from './machine-store.ts';

export type NodeTransition = Transition<StatesOf<typeof nodeMachine>>;
const advance = makeAdvance(nodeMachine, { lock: lockSql, move: moveSql });

/** The only code that changes the state of a node. The reason is stored with the state that it explains. */
export const advanceNode = (
  tx: WriteTx,
  id: string,
  transition: NodeTransition,
  why: {
    readonly reason?: string | undefined;
    readonly seenVersion?: number | undefined;
    /** Until when what runs may stay, for a node that begins to drain. */
    readonly drainDeadlineAt?: Date | undefined;
  } = {},
): ReturnType<typeof advance> =>
  advance(tx, id, transition, why.seenVersion, [why.reason ?? null, why.drainDeadlineAt ?? null]);
