// reported as lint/style/noRestrictedImports: A port knows the outside thing, not the business
import { makeThings } from '../../domains/things/index.ts';

export const used = makeThings;
