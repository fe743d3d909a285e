// reported as lint/style/noRestrictedImports: imported by tests
import { cacheConformance } from './conformance.ts';

export const used = cacheConformance;
