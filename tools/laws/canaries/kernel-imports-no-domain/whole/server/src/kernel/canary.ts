import { Fault } from './fault.ts';

export const used = Fault;
