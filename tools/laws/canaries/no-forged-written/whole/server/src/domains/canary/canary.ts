import type { Written } from '../../kernel/act.ts';

export const handed = (value: Written<number>) => value;
