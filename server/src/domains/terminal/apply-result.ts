import type { NodeTaskResult, NodeTaskType } from '@gpuaas/contract/node';
import type { WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ResultEffect } from '../nodes/index.ts';
import { endSession } from './end.ts';
import { findTaskSession, holdSession } from './store.ts';

/**
 * A node that could not open a shell ends the session of its task, in the transaction that takes the result: who waits learns of it
 * at once. A session that has its shell by then goes on.
 */
export const makeApplyTerminalResult =
  (parts: { readonly clock: Clock }) =>
  async (
    tx: WriteTx,
    task: { readonly id: string; readonly task_type: NodeTaskType; readonly node_id: string },
    result: NodeTaskResult,
  ): Promise<ResultEffect | undefined> => {
    if (task.task_type !== 'terminal.open') return undefined;
    const sessionId = await findTaskSession(tx, task.id);
    const row = sessionId === undefined ? undefined : await holdSession(tx, sessionId);
    if (row?.node_id !== task.node_id) return undefined;
    const isOver = result.outcome === 'failed' && row.state === 'opening';
    const event = isOver ? await endSession(tx, parts.clock, row, 'shell_failed') : undefined;
    return { projectId: row.project_id, events: event ? [event] : [], change: { session_id: row.id } };
  };
