import { rule } from '../things/index.ts';

export const used = rule;
