// reported as states-change-in-machines: is moved by makeAdvance alone
import { sql } from '../../kernel/act.ts';

export const close = sql('project-close', 'update projects set state = $1 where id = $2');
