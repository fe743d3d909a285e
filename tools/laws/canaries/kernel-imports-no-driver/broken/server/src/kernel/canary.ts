// reported as lint/style/noRestrictedImports: a driver belongs behind a port
import { Pool } from 'pg';

export const used = Pool;
