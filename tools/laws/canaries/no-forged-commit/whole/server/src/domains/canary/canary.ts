import type { Commit } from '../../kernel/act.ts';

export const handed = (value: Commit<number>) => value;
