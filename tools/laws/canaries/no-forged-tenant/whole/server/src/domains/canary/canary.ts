import type { Act, InOrganization } from '../../kernel/act.ts';

export const organizationOf = (act: Act & InOrganization): string => act.organizationId;
