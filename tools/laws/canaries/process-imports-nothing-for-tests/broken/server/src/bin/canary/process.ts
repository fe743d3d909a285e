// reported as lint/style/noRestrictedImports: imported by tests
import { openWorld } from '../../testing/world.ts';

export const used = openWorld;
