import { Type } from 'typebox';

export const used = Type;
