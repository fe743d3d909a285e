import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/**
 * Load generators of both sides are held on the last core, so that none of them can take more than the other: what is
 * measured is free to run anywhere.
 */
export const loadCore = availableParallelism() - 1;

const taskset = '/usr/bin/taskset';

export const pinned = (core: number, command: readonly [string, ...string[]]): [string, ...string[]] =>
  existsSync(taskset) ? [taskset, '-c', String(core), ...command] : [...command];
