// reported as plugin: never claimed by a cast
import type { WriteTx } from '../../kernel/act.ts';

export const forged = (value: unknown) => value as WriteTx;
