// reported as lint/style/noRestrictedImports: Kysely may build statements in store.ts
import type { Kysely } from 'kysely';

export type Used = Kysely;
