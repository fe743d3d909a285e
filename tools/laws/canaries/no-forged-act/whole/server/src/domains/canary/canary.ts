import type { Act } from '../../kernel/act.ts';

export const handed = (value: Act) => value;
