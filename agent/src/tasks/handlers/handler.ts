import type { NodeTaskType, TaskOutput, TaskParams } from '@gpuaas/contract/node';
import type { Work } from '../../host/port.ts';
import type { LeaseOrder } from '../../leases/leases.ts';
import type { Lane } from '../lanes.ts';

/** How an agent does one type of task. */
export interface Handler<T extends NodeTaskType> {
  lane(params: TaskParams<T>): Lane;
  /** The lease that the work belongs to, and what it does to it. */
  lease?(params: TaskParams<T>, generation: number): LeaseOrder;
  run(params: TaskParams<T>, work: Work, taskId: string): Promise<TaskOutput<T>>;
}
export type Handlers = { readonly [T in NodeTaskType]?: Handler<T> };

/** The tasks that only look, beside everything else. */
export const lookLane: Lane = { kind: 'look' };
/** The tasks that want the whole node for themselves. */
export const nodeLane: Lane = { kind: 'node' };
/** The tasks of one lease, one after the other. */
export const leaseLane = (params: { readonly allocation_id: string }): Lane => ({
  kind: 'lease',
  allocationId: params.allocation_id,
});

const order =
  (purpose: LeaseOrder['purpose']) =>
  (
    params: { readonly allocation_id: string; readonly slots?: readonly { readonly slot_id: string }[] },
    generation: number,
  ): LeaseOrder => ({
    purpose,
    allocationId: params.allocation_id,
    generation,
    slotIds: (params.slots ?? []).map(({ slot_id }) => slot_id),
  });
/** What a task does to its lease: begins it, ends it, or works within it. */
export const [toProvision, toRelease, toUse] = [order('provision'), order('release'), order('use')];
