import type { ReadTx } from '../../kernel/act.ts';

export type Used = ReadTx;
