// reported as no-forged-tenant: the compiler then knows that the id is there
import type { Act } from '../../kernel/act.ts';

export const organizationOf = (act: Act): string => act.organizationId as string;
