// reported as lint/style/noRestrictedImports: The edge enters a domain through its door
import { insertThing } from '../../domains/things/store.ts';

export const used = insertThing;
