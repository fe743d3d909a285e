import { maasJobMachine, type StatesOf, type Transition } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { makeAdvance } from '../../kernel/machine.ts';
import { lockSql, moveSql } from './machine-store.ts';

const advance = makeAdvance(maasJobMachine, { lock: lockSql, move: moveSql });

/** The only code that changes the state of a job. */
export const advanceJob = (
  tx: WriteTx,
  id: string,
  transition: Transition<StatesOf<typeof maasJobMachine>>,
  with_: { readonly problem?: string | undefined; readonly phase?: string } = {},
): ReturnType<typeof advance> => advance(tx, id, transition, undefined, [with_.problem ?? null, with_.phase ?? null]);
