import { makeThings } from '../../domains/things/index.ts';

export const used = makeThings;
