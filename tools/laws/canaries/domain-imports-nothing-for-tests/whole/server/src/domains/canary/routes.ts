import type { Viewer } from '../../kernel/act.ts';

export type Used = Viewer;
