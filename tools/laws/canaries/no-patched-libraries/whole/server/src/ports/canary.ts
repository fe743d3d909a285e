import type { Database } from '@vendor/engine';

export const wrap = (database: Database, record: () => void) => ({ ...database, record });
