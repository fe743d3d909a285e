import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { sayHeld, unclean } from '../rules/node.ts';

const nodeSql = sql(
  'node-of-saga',
  'select id, name, region, sku, state, state_reason, version, enrolled_at, drain_deadline_at from nodes where id = $1',
);
const lockSql = sql('node-of-saga-lock', 'select id from nodes where id = $1 for update');
const reasonSql = sql(
  'node-state-reason',
  'update nodes set state_reason = $2, version = version + 1, updated_at = act_time() where id = $1',
);
const askedSql = sql(
  'node-own-task-by-token',
  'select id from node_tasks where saga_token = $1 and node_id = $2 and mine(organization_id)',
);
/** Counts everything on the node that could still belong to a tenant. */
const heldSql = sql(
  'node-held',
  `select
     (select count(*) from allocations a
      where a.node_id = $1 and a.state not in ('released', 'failed') and mine(a.organization_id)) as allocations,
     (select count(*) from allocation_claims c
      where c.node_id = $1 and c.freed_at is null and mine(c.organization_id)) as claims,
     (select coalesce(jsonb_object_agg(h.state, h.many), '{}') from (
       select s.state, count(*) as many from slots s
       where s.node_id = $1 and s.state = any ($2::text[]) group by s.state
     ) h) as slots`,
);
const forgetImagesSql = sql('node-images-forget', 'delete from node_image_cache where node_id = $1');
const keepImageSql = sql(
  'node-image-keep',
  `insert into node_image_cache (node_id, image_id, digest, verified_at)
   select $1, i.id, $3, act_time() from os_images i where i.slug = $2
   on conflict (node_id, image_id) do update set digest = excluded.digest, verified_at = excluded.verified_at`,
);

export interface SagaNode {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly sku: string;
  readonly state: string;
  readonly state_reason: string | null;
  readonly version: bigint;
  readonly enrolled_at: Date | null;
  readonly drain_deadline_at: Date | null;
}
export const readNode = async (tx: ReadTx, id: string): Promise<SagaNode | undefined> =>
  (await tx.rows<SagaNode>(nodeSql, [id]))[0];
/** The node, held until the transaction ends. */
export async function holdNode(tx: WriteTx, id: string): Promise<SagaNode | undefined> {
  await tx.rows(lockSql, [id]);
  return readNode(tx, id);
}
/** Records a note on a node without a change of state. */
export const explainNode = (tx: WriteTx, id: string, reason: string) => tx.run(reasonSql, [id, reason]);
export const findAsked = async (tx: ReadTx, token: string, nodeId: string): Promise<string | undefined> =>
  (await tx.rows<{ id: string }>(askedSql, [token, nodeId]))[0]?.id;

/** What a node still holds, in sentences; none when there is nothing that anybody could miss. */
export async function holdings(tx: ReadTx, nodeId: string): Promise<string[]> {
  const [row] = await tx.rows<{ allocations: bigint; claims: bigint; slots: Readonly<Record<string, number>> }>(
    heldSql,
    [nodeId, unclean],
  );
  return row ? sayHeld({ ...row, allocations: Number(row.allocations), claims: Number(row.claims) }) : [];
}

/** A host that was imaged again has that image and no other. */
export async function replaceImages(
  tx: WriteTx,
  nodeId: string,
  image: { readonly slug: string; readonly digest: string },
): Promise<void> {
  await tx.run(forgetImagesSql, [nodeId]);
  await tx.run(keepImageSql, [nodeId, image.slug, image.digest]);
}

export const aboutNode = ({ id, name, region }: SagaNode) => ({ node_id: id, name, region });
