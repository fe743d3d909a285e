import { sql } from '../../kernel/act.ts';

export const rename = sql(
  'nodes-rename',
  `update nodes n set name = $2, version = n.version + 1 from slots s where s.node_id = n.id and s.state = 'disabled'`,
);
