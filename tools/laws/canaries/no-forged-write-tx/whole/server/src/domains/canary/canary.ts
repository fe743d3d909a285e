import type { WriteTx } from '../../kernel/act.ts';

export const handed = (value: WriteTx) => value;
