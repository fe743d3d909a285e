// reported as lint/style/noRestrictedImports: bin decides which adapter stands behind it
import { openRedisCache } from '../../ports/cache/redis.ts';

export const used = openRedisCache;
