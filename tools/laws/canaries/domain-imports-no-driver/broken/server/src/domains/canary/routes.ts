// reported as lint/style/noRestrictedImports: A domain knows no driver and no server
import { Redis } from 'ioredis';

export const used = Redis;
