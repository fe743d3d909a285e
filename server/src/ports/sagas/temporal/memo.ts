import { type WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { Ending } from '../interpreter.ts';
import type { StuckNote } from './names.ts';

/** What everybody may read of a run while nobody works on it. */
export interface Memo {
  readonly secret: string;
  /** The waits' schemas by step. */
  readonly answers: Readonly<Record<string, object>>;
  readonly at?: string;
  readonly stuck?: StuckNote;
  readonly ending?: Ending;
}

/** A run with its memo; undefined when there is none. */
export async function findRun(workflow: WorkflowClient, run: string) {
  const handle = workflow.getHandle(run);
  try {
    const { status, memo } = await handle.describe();
    return { handle, status: status.name, memo: memo as unknown as Memo };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
