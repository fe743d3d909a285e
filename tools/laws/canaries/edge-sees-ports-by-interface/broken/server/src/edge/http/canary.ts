// reported as lint/style/noRestrictedImports: The edge sees a port by its interface
import { openRedisCache } from '../../ports/cache/redis.ts';

export const used = openRedisCache;
