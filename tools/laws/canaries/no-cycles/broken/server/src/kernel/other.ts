import { one } from './canary.ts';

export const two = () => one;
