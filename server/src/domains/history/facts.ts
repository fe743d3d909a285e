import { minuteMs } from '../../kernel/units.ts';

/** How often the jobs look for history that is due, and for archives to confirm: a batch takes about two looks. */
export const lookEveryMs = minuteMs;
/** Rows that are read into an archive at a time. */
export const pageRows = 2_000;
/** Rows that one transaction removes: few transactions, none of them long. */
export const removedAtOnce = 20_000;
/** Allocations, or tasks of nodes, whose rows make one archive. They are read in one piece. */
export const batchSizes = { allocations: 500, attestations: 500, node_tasks: 5_000, audit: 1 } as const;
/** The first line of every archive says what it is. */
export const archiveFormat = 'gpuaas-history-1';
