// reported as lint/style/noRestrictedImports: The kernel is the vocabulary of everyone else
import { makeThings } from '../domains/things/index.ts';

export const used = makeThings;
