import { join } from 'node:path';

export const used = join;
