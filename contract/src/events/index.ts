import type { EventKind } from '../event.ts';
import * as tenancy from './tenancy.ts';

export const events: readonly EventKind[] = Object.values(tenancy).sort((a, b) => a.type.localeCompare(b.type));
export * from './tenancy.ts';
