import type { Act } from '../../kernel/act.ts';

export const begin = (act: Act) => act.action;
