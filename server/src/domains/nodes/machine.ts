import { nodeMachine, type StatesOf, type Transition } from '@gpuaas/contract';
import { sql, type WriteTx } from '../../kernel/act.ts';
import { makeAdvance } from '../../kernel/machine.ts';

const lockSql = sql('node-lock', 'select state, version from nodes where id = $1 for update');
const moveSql = sql(
  'node-move',
  `update nodes set state = $2, version = $3, state_reason = $4, updated_at = act_time(),
     drain_deadline_at = case when $2 = 'draining' then $5::timestamptz end
   where id = $1`,
);

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
