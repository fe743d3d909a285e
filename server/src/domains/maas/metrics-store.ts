import { type ReadTx, sql } from '../../kernel/act.ts';
import type { MachineRow } from './store.ts';

const countSql = sql(
  'maas-counts',
  `select (select count(*)::int from maas_sites where problem is not null) as away,
     (select count(*)::int from maas_jobs where state = 'failed' and ended_at > act_time() - interval '1 day') as failed`,
);
const machinesSql = sql(
  'maas-machines-of-all-sites',
  `select m.*, n.name as node_name, n.state as node_state, s.username,
     (select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'state', a.state) order by a.id), '[]') from allocations a
      where a.node_id = m.node_id and a.state not in ('released', 'failed') and mine(a.organization_id)) as allocations,
     exists (select from maas_jobs j where j.site_id = m.site_id and j.system_id = m.system_id
       and j.state in ('queued', 'running')) as is_worked_on
   from maas_machines m join maas_sites s on s.id = m.site_id left join nodes n on n.id = m.node_id
   order by m.site_id, m.system_id limit $1`,
);

export const countSites = async (tx: ReadTx): Promise<{ readonly away: number; readonly failed: number }> =>
  (await tx.rows<{ away: number; failed: number }>(countSql))[0] ?? { away: 0, failed: 0 };
export const listAllMachines = (tx: ReadTx, limit: number) => tx.rows<MachineRow>(machinesSql, [limit]);
