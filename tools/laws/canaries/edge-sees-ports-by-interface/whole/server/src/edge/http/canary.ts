import type { Cache } from '../../ports/cache/port.ts';

export type Used = Cache;
