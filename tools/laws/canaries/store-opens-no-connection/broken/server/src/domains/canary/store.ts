// reported as lint/style/noRestrictedImports: it opens no connection of its own
import { Pool } from 'pg';

export const used = Pool;
