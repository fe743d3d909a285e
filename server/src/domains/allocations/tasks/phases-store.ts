import { sql } from '../../../kernel/act.ts';

export const ownerOf = sql(
  'allocation-phase-owner',
  `select a.organization_id, a.project_id, a.version, a.generation, a.node_id, coalesce(n.simulated, false) as simulated
   from allocations a left join nodes n on n.id = a.node_id where a.id = $1 and mine(a.organization_id)`,
);
