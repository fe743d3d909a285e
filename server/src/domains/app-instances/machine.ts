import type { StatesOf } from '@gpuaas/contract';
import { appInstanceMachine, type Transition } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { type Moved, makeAdvance } from '../../kernel/machine.ts';
import { lockInstance, moveInstance } from './machine-store.ts';
import { insertMoment } from './store.ts';

/** What is written together with a state. What is left out stays as it is. */
export interface Also {
  readonly workloadId?: string;
  readonly attempts?: number;
  readonly phase?: string | null;
  readonly failure?: { readonly code: string; readonly reason: string } | null;
  readonly endReason?: string;
  /** A start that was asked for now, not one that is tried again. */
  readonly isAskedAnew?: boolean;
}
type Step = Transition<StatesOf<typeof appInstanceMachine>>;
const advance = makeAdvance(appInstanceMachine, { lock: lockInstance, move: moveInstance });

/** The only code that changes the state of an instance. Each change is a moment of its timeline. */
export async function moveTo(
  tx: WriteTx,
  instance: { readonly id: string; readonly organization_id: string },
  step: Step,
  about: { readonly ids: Ids; readonly correlationId: string; readonly also?: Also },
): Promise<Moved | Fault<'illegal_transition'>> {
  const { also = {} } = about;
  const moved = await advance(tx, instance.id, step, undefined, [
    ...[also.workloadId ?? null, also.attempts ?? null, also.phase ?? null],
    ...[also.failure?.code ?? null, also.failure?.reason ?? null, also.endReason ?? null, also.isAskedAnew ?? false],
  ]);
  if (moved === undefined) throw new Error(`app instance ${instance.id} is gone`);
  if (moved instanceof Fault) {
    if (moved.code === 'version_conflict') throw moved;
    return moved as Fault<'illegal_transition'>;
  }
  await insertMoment(tx, {
    ...{ id: about.ids.next(), organizationId: instance.organization_id, instanceId: instance.id, name: step },
    ...{ from: moved.from, to: moved.to, correlationId: about.correlationId },
    detail: {
      ...(also.workloadId !== undefined && { workload_id: also.workloadId, attempt: also.attempts }),
      ...(also.failure && also.failure),
      ...(also.endReason !== undefined && { reason: also.endReason }),
    },
  });
  return moved;
}
