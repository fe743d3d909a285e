import { one } from './neighbour.ts';

export const used = one;
