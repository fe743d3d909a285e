// reported as states-change-in-machines: the state of task_signers is changed by its machine alone
import { sql } from '../../kernel/act.ts';

export const retire = sql(
  'signers-retire',
  `with known as (update nodes n set name = $2 where n.id = $1 returning n.id)
   update task_signers as s set version = s.version + 1, state = 'retired' from known k where s.id = k.id`,
);
