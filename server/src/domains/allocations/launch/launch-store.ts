import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import type { Login } from '../store.ts';

/** Everything that the catalog says about a launch request, in one statement. What does not exist is null. */
const offerSql = sql(
  'allocation-offer',
  `select o.currency, r.slug as region, k.slug as sku, k.gpu_model, k.capacity_shape, k.allowed_gpu_counts,
     k.billing_unit, k.resource_profile, coalesce(g.id, p.id) as price_id,
     coalesce(g.unit_price_minor, p.unit_price_minor) as unit_price_minor, i.id as image_id, i.slug as image
   from organizations o
   join projects j on j.id = $5 and j.organization_id = o.id and j.state = 'active' and mine(j.organization_id)
   left join regions r on r.slug = $3 and r.active
   left join skus k on k.slug = $2 and k.active
   left join lateral (
     select q.id, q.unit_price_minor from sku_prices q
     where q.sku = k.slug and q.currency = o.currency and (q.region = $3 or q.region is null)
       and q.effective_from <= act_time()
     order by q.region nulls last, q.effective_from desc limit 1
   ) p on true
   -- What was negotiated with the organization goes before the list.
   left join lateral (
     select n.id, n.unit_price_minor from negotiated_prices n
     where n.organization_id = o.id and n.sku = k.slug and n.currency = o.currency and (n.region = $3 or n.region is null)
       and n.effective_from <= act_time() and (n.effective_to is null or n.effective_to > act_time())
       and mine(n.organization_id)
     order by n.region nulls last, n.effective_from desc limit 1
   ) g on true
   left join lateral (
     select m.id, m.slug from os_images m
     where m.active and k.slug = any (m.skus) and ($4::text is null or m.slug = $4)
     order by m.driver_strategy desc, m.slug limit 1
   ) i on true
   where o.id = $1 and mine(o.id)`,
);
const alternativesSql = sql(
  'allocation-alternatives',
  `select slug as sku, capacity_shape as shape, resource_profile ->> 'fabric' as fabric from skus
   where gpu_model = $1 and slug <> $2 and active and $3 = any (allowed_gpu_counts) order by slug`,
);
/** Keys of the caller, and keys of the project. */
const keysSql = sql(
  'allocation-keys-find',
  `select k.id, k.user_id, k.fingerprint, k.public_key from ssh_keys k
   where k.id = any ($1::uuid[]) and (k.user_id::text = $2 or (k.project_id = $3 and mine(k.organization_id)))`,
);
const insertKeysSql = sql(
  'allocation-keys-insert',
  `insert into allocation_ssh_keys (allocation_id, organization_id, ssh_key_id, user_id, fingerprint, public_key)
   select $1, $2, k.id, k.user_id, k.fingerprint, k.public_key
   from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]) as k (id, user_id, fingerprint, public_key)
   on conflict do nothing`,
);
const removeKeysSql = sql(
  'allocation-keys-remove',
  `delete from allocation_ssh_keys
   where allocation_id = $1 and ssh_key_id <> all ($2::uuid[]) and grant_id is null and mine(organization_id)`,
);
const listKeysSql = sql(
  'allocation-keys',
  `select ssh_key_id, user_id, fingerprint, public_key from allocation_ssh_keys
   where allocation_id = $1 and mine(organization_id) order by ssh_key_id`,
);
/** The login on the machine is that of the person who requested it, or who created the service account that did. */
const loginSql = sql(
  'allocation-login',
  `select i.username, i.uid, i.gid from user_posix_identities i
   where i.user_id::text = coalesce(
     (select a.created_by::text from service_accounts a where a.id::text = $1 and mine(a.organization_id)), $1)`,
);

export interface OfferRow {
  readonly currency: string;
  readonly region: string | null;
  readonly sku: string | null;
  readonly gpu_model: string;
  readonly capacity_shape: 'baremetal' | 'gpu_slice';
  readonly allowed_gpu_counts: number[];
  readonly billing_unit: 'gpu_hour' | 'node_hour';
  readonly resource_profile: {
    readonly fabric?: string;
    readonly slice_vm_profiles?: readonly {
      readonly name: string;
      readonly gpus: number;
      readonly vcpus: number;
      readonly memory_mib: number;
    }[];
  };
  readonly price_id: string | null;
  readonly unit_price_minor: bigint;
  readonly image_id: string | null;
  readonly image: string | null;
}
export const readOffer = async (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly projectId: string },
  launch: { readonly sku: string; readonly region: string; readonly image?: string | undefined },
): Promise<OfferRow | undefined> =>
  (
    await tx.rows<OfferRow>(offerSql, [
      of.organizationId,
      launch.sku,
      launch.region,
      launch.image ?? null,
      of.projectId,
    ])
  )[0];
export const listAlternatives = (tx: ReadTx, gpuModel: string, sku: string, gpus: number) =>
  tx.rows<{ sku: string; shape: 'baremetal' | 'gpu_slice'; fabric: string | null }>(alternativesSql, [
    gpuModel,
    sku,
    gpus,
  ]);

export interface KeyRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly fingerprint: string;
  readonly public_key: string;
}
export const findKeys = (tx: ReadTx, ids: readonly string[], actorId: string, projectId: string) =>
  tx.rows<KeyRow>(keysSql, [ids, actorId, projectId]);
export const insertKeys = (tx: WriteTx, allocationId: string, organizationId: string, keys: readonly KeyRow[]) =>
  tx.run(insertKeysSql, [
    allocationId,
    organizationId,
    keys.map(({ id }) => id),
    keys.map(({ user_id }) => user_id),
    keys.map(({ fingerprint }) => fingerprint),
    keys.map(({ public_key }) => public_key),
  ]);
export const removeKeysExcept = (tx: WriteTx, allocationId: string, keep: readonly string[]) =>
  tx.run(removeKeysSql, [allocationId, keep]);
export const listKeys = (tx: ReadTx, allocationId: string) =>
  tx.rows<Omit<KeyRow, 'id'> & { readonly ssh_key_id: string }>(listKeysSql, [allocationId]);
export const findLogin = async (tx: ReadTx, actorId: string): Promise<Login | undefined> =>
  (await tx.rows<Login>(loginSql, [actorId]))[0];
