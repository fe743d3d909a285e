import { hourMs } from '../../kernel/units.ts';

/** Where it is announced that slots came free. A name between processes of one installation. */
export const capacityChannel = 'gpuaas_capacity';
/** The backstop of a wait for a node: the task itself expires long before, and says so. */
export const answerWithinMs = 24 * hourMs;
/** Allocations or nodes that one round of a guard looks at before it comes round again. */
export const guardBatch = 200;
