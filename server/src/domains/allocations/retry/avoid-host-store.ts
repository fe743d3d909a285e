import { sql, type WriteTx } from '../../../kernel/act.ts';
import { capacityChannel } from '../facts.ts';

const writeFailure = sql(
  'node-launch-failure-write',
  `with written as (
     insert into node_launch_failures (node_id, avoided_until) values ($1, act_time() + make_interval(mins => $2))
     on conflict (node_id) do update set failed_at = excluded.failed_at, avoided_until = excluded.avoided_until
     returning node_id
   )
   select pg_notify($3, node_id::text) from written`,
);

/**
 * A launch failed because of its host: for some minutes placement uses the host only when no other fits. The commit notifies
 * every process that places.
 */
export const avoidHost = async (tx: WriteTx, nodeId: string, minutes: number): Promise<void> => {
  await tx.rows(writeFailure, [nodeId, minutes, capacityChannel]);
};
