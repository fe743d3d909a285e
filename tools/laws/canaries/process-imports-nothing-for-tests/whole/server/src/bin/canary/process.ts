import { openCache } from '../../ports/cache/open.ts';

export const used = openCache;
