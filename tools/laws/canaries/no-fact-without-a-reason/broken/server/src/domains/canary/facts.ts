// reported as no-bare-numbers: the comment before it says why nobody turns it
import { canary } from './canary.ts';

export const maxNameLength = canary + 63;
