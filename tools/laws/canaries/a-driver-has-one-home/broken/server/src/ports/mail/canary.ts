// reported as wall: ioredis is known in server/src/ports/cache only
import { Redis } from 'ioredis';

export const used = Redis;
