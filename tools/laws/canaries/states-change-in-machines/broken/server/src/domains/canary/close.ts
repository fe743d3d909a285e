// reported as states-change-in-machines: the state of projects is changed by its machine alone
import { sql } from '../../kernel/act.ts';

export const close = sql('project-move', 'update projects set state = $1 where id = $2');
