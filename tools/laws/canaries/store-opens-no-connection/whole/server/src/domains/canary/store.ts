import type { Kysely } from 'kysely';

export type Used = Kysely;
