// reported as lint/style/noRestrictedImports: storage and queues are behind ports
import { Pool } from 'pg';

export const used = Pool;
