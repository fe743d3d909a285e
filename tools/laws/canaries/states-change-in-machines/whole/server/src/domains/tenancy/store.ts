import { sql } from '../../kernel/act.ts';

export const close = sql('project-move', 'update projects set state = $2, version = $3 where id = $1');
export const rename = sql('project-rename', 'update projects set name = $1 where id = $2');
