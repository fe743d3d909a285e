import { hourMs } from '../../kernel/units.ts';

/** Where it is announced that slots came free. A name between processes of one installation. */
export const capacityChannel = 'gpuaas_capacity';
/** The backstop of a wait for a node: the task itself expires long before, and says so. */
export const answerWithinMs = 24 * hourMs;
/** Allocations or nodes that one round of a guard looks at before it comes round again. */
export const guardBatch = 200;
/** From this count on a slice is a whole dual-socket host, and spans its NUMA groups: no group has as many GPUs. */
export const spanningGpus = 8;
/** Candidates that a decision names one by one. The rest is counted: the document is kept for ever. */
export const maxNamed = 50;
