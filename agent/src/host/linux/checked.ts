import { type NodeTaskType, nodeTaskKinds, type TaskParams } from '@gpuaas/contract/node';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { Work } from '../port.ts';

/**
 * The agent has checked params before it writes a task down. Here, in front of programs that run as root, they are
 * checked once more: a caller that forgot is a bug of ours, and nothing is done for it.
 */
export function checked<T extends NodeTaskType, R>(
  type: T,
  run: (params: TaskParams<T>, work: Work) => Promise<R>,
): (params: TaskParams<T>, work: Work) => Promise<R> {
  const schema = Compile(nodeTaskKinds[type].params as TSchema) as unknown as Validator;
  return async (params, work) => {
    if (!schema.Check(params)) throw new TypeError(`These are not params of ${type}.`);
    return run(params, work);
  };
}
