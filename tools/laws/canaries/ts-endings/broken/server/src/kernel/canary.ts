// reported as lint/correctness/useImportExtensions: extension
import { one } from './neighbour';

export const used = one;
