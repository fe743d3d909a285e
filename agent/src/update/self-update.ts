import type { TaskOutput, TaskParams } from '@gpuaas/contract/node';
export interface SelfUpdate {
  apply(params: TaskParams<'node.self_update'>): Promise<TaskOutput<'node.self_update'>>;
  healthy(): Promise<void>;
}
