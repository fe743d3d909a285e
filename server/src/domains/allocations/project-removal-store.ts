import { sql } from '../../kernel/act.ts';

export const liveOfProject = sql(
  'allocations-live-of-project',
  `select id, state from allocations
   where project_id = $1 and state not in ('released', 'failed') and mine(organization_id) order by id`,
);
