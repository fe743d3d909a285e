import { Fault } from '../../kernel/fault.ts';

export const used = Fault;
