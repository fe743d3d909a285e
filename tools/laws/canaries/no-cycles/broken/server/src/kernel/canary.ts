// reported as lint/suspicious/noImportCycles: cycle
import { two } from './other.ts';

export const one = () => two;
