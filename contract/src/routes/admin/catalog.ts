import { type Static, Type } from 'typebox';
import { Name, Slug, Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { BillingUnit, CapacityShape, ImageSlug, PublicImage, Region, SkuSlug, skuFields } from '../catalog.ts';

const strict = { additionalProperties: false } as const;
const Digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$', maxLength: 71 });

export const Sku = Type.Object(
  { ...skuFields, active: Type.Boolean(), created_at: Timestamp, updated_at: Timestamp },
  { $id: 'Sku', ...strict },
);
export type Sku = Static<typeof Sku>;

export const SkuPrice = Type.Object(
  {
    id: Uuid,
    sku: SkuSlug,
    region: Type.Union([Slug, Type.Null()]),
    unit_price: Money,
    effective_from: Timestamp,
    state: Type.Enum(['past', 'current', 'future']),
    created_at: Timestamp,
  },
  { $id: 'SkuPrice', ...strict },
);
export type SkuPrice = Static<typeof SkuPrice>;

export const OsImage = Type.Object(
  {
    id: Uuid,
    ...PublicImage.properties,
    size_bytes: Type.Integer({ minimum: 1 }),
    active: Type.Boolean(),
    cached_on: Type.Integer({ description: 'Nodes that have exactly this digest.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'OsImage', ...strict },
);
export type OsImage = Static<typeof OsImage>;

const read = { kind: 'admin', scope: 'fleet:read' } as const;
const write = { kind: 'admin', scope: 'fleet:admin' } as const;
const tenancy = { kind: 'none', why: 'The catalog belongs to the platform.' } as const;
const shared = { tenancy, lane: 'admin' } as const;
const keyed = { ...shared, idempotency: 'key' } as const;
const listQuery = Type.Object(pageQuery, strict);
const bySlug = Type.Object({ region: Slug }, strict);
const bySku = Type.Object({ sku: SkuSlug }, strict);
const byImage = Type.Object({ os_image: ImageSlug }, strict);
const reason = Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' });
const because = Type.Object({ reason }, strict);

export const adminRegionList = defineRoute({
  id: 'admin_region_list',
  method: 'GET',
  path: '/api/v1/admin/regions',
  tag: 'AdminRegions',
  summary: 'All regions, closed ones included',
  auth: read,
  ...shared,
  errors: ['cursor_invalid'],
  query: listQuery,
  response: page(Region),
});

export const adminRegionCreate = defineRoute({
  id: 'admin_region_create',
  method: 'POST',
  path: '/api/v1/admin/regions',
  tag: 'AdminRegions',
  summary: 'Open a region',
  auth: write,
  ...keyed,
  audit: 'region.create',
  stepUp: recentSignIn,
  errors: ['region_already_exists'],
  status: 201,
  body: Type.Object({ slug: Slug, name: Name }, strict),
  response: Region,
});

export const adminRegionUpdate = defineRoute({
  id: 'admin_region_update',
  method: 'PATCH',
  path: '/api/v1/admin/regions/{region}',
  tag: 'AdminRegions',
  summary: 'Rename a region, close it for new work, or open it again',
  auth: write,
  ...keyed,
  audit: 'region.update',
  stepUp: recentSignIn,
  errors: ['region_not_found'],
  params: bySlug,
  body: Type.Object({ name: Type.Optional(Name), active: Type.Optional(Type.Boolean()) }, strict),
  response: Region,
});

export const adminSkuList = defineRoute({
  id: 'admin_sku_list',
  method: 'GET',
  path: '/api/v1/admin/skus',
  tag: 'AdminSkus',
  summary: 'All SKUs, retired ones included',
  auth: read,
  ...shared,
  errors: ['cursor_invalid'],
  query: listQuery,
  response: page(Sku),
});

export const adminSkuGet = defineRoute({
  id: 'admin_sku_get',
  method: 'GET',
  path: '/api/v1/admin/skus/{sku}',
  tag: 'AdminSkus',
  summary: 'One SKU',
  auth: read,
  ...shared,
  errors: ['sku_not_found'],
  params: bySku,
  response: Sku,
});

export const adminSkuCreate = defineRoute({
  id: 'admin_sku_create',
  method: 'POST',
  path: '/api/v1/admin/skus',
  tag: 'AdminSkus',
  summary: 'Add a SKU; it can be rented once it has a price',
  auth: write,
  ...keyed,
  audit: 'sku.create',
  stepUp: recentSignIn,
  errors: ['sku_already_exists', 'sku_invalid'],
  status: 201,
  body: Type.Object(
    {
      sku: SkuSlug,
      vendor: skuFields.vendor,
      display_name: Name,
      gpu_model: skuFields.gpu_model,
      gpu_memory_mib: skuFields.gpu_memory_mib,
      capacity_shape: CapacityShape,
      gpus_total: skuFields.gpus_total,
      allowed_gpu_counts: Type.Optional(skuFields.allowed_gpu_counts),
      billing_unit: Type.Optional(BillingUnit),
      resource_profile: Type.Optional(skuFields.resource_profile),
    },
    strict,
  ),
  response: Sku,
});

export const adminSkuUpdate = defineRoute({
  id: 'admin_sku_update',
  method: 'PATCH',
  path: '/api/v1/admin/skus/{sku}',
  tag: 'AdminSkus',
  summary: 'Change a SKU for new allocations; existing ones keep what they were promised',
  auth: write,
  ...keyed,
  audit: 'sku.update',
  stepUp: recentSignIn,
  errors: ['sku_not_found', 'sku_invalid'],
  params: bySku,
  body: Type.Object(
    {
      vendor: Type.Optional(skuFields.vendor),
      display_name: Type.Optional(Name),
      gpu_model: Type.Optional(skuFields.gpu_model),
      gpu_memory_mib: Type.Optional(skuFields.gpu_memory_mib),
      allowed_gpu_counts: Type.Optional(skuFields.allowed_gpu_counts),
      resource_profile: Type.Optional(skuFields.resource_profile),
      active: Type.Optional(Type.Boolean({ description: 'True offers a retired SKU again.' })),
    },
    strict,
  ),
  response: Sku,
});

export const adminSkuRetire = defineRoute({
  id: 'admin_sku_retire',
  method: 'POST',
  path: '/api/v1/admin/skus/{sku}/retire',
  tag: 'AdminSkus',
  summary: 'Retire a SKU; existing allocations continue',
  auth: write,
  ...keyed,
  audit: 'sku.retire',
  stepUp: recentSignIn,
  errors: ['sku_not_found'],
  params: bySku,
  body: because,
  response: Sku,
});

export const skuPriceList = defineRoute({
  id: 'sku_price_list',
  method: 'GET',
  path: '/api/v1/admin/skus/{sku}/prices',
  tag: 'AdminSkus',
  summary: 'All prices, past and future; newest entry first',
  auth: read,
  ...shared,
  errors: ['sku_not_found', 'cursor_invalid'],
  params: bySku,
  query: listQuery,
  response: page(SkuPrice),
});

export const skuPriceAdd = defineRoute({
  id: 'sku_price_add',
  method: 'POST',
  path: '/api/v1/admin/skus/{sku}/prices',
  tag: 'AdminSkus',
  summary: 'Set a price from a time on; earlier prices stay',
  auth: write,
  ...keyed,
  audit: 'sku_price.create',
  stepUp: recentSignIn,
  errors: ['sku_not_found', 'region_not_found', 'price_already_exists', 'price_backdated'],
  status: 201,
  params: bySku,
  body: Type.Object(
    {
      region: Type.Optional(Slug),
      unit_price: Type.Object(
        { amount_minor: Type.String({ pattern: '^(?:0|[1-9][0-9]{0,12})$' }), currency: Money.properties.currency },
        strict,
      ),
      effective_from: Type.Optional(Timestamp),
      reason,
    },
    strict,
  ),
  response: SkuPrice,
});

export const adminOsImageList = defineRoute({
  id: 'admin_os_image_list',
  method: 'GET',
  path: '/api/v1/admin/os-images',
  tag: 'AdminOSImages',
  summary: 'All images, and on how many nodes each is',
  auth: read,
  ...shared,
  errors: ['cursor_invalid'],
  query: listQuery,
  response: page(OsImage),
});

const imageFields = {
  display_name: Name,
  digest: Digest,
  driver_strategy: PublicImage.properties.driver_strategy,
  size_bytes: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  skus: Type.Array(SkuSlug, { minItems: 1, maxItems: 100, uniqueItems: true }),
};

export const adminOsImageCreate = defineRoute({
  id: 'admin_os_image_create',
  method: 'POST',
  path: '/api/v1/admin/os-images',
  tag: 'AdminOSImages',
  summary: 'Add an image; it is offered once it is active',
  auth: write,
  ...keyed,
  audit: 'os_image.create',
  stepUp: recentSignIn,
  errors: ['os_image_already_exists', 'sku_not_found'],
  status: 201,
  body: Type.Object({ slug: ImageSlug, ...imageFields }, strict),
  response: OsImage,
});

export const adminOsImageUpdate = defineRoute({
  id: 'admin_os_image_update',
  method: 'PATCH',
  path: '/api/v1/admin/os-images/{os_image}',
  tag: 'AdminOSImages',
  summary: 'Change an image. It can be active only while every host that takes work has exactly this digest',
  auth: write,
  ...keyed,
  audit: 'os_image.update',
  stepUp: recentSignIn,
  errors: ['os_image_not_found', 'sku_not_found', 'os_image_not_cached'],
  params: byImage,
  body: Type.Object(
    { ...Type.Partial(Type.Object(imageFields)).properties, active: Type.Optional(Type.Boolean()) },
    strict,
  ),
  response: OsImage,
});

export const adminOsImageRetire = defineRoute({
  id: 'admin_os_image_retire',
  method: 'POST',
  path: '/api/v1/admin/os-images/{os_image}/retire',
  tag: 'AdminOSImages',
  summary: 'Retire an image; running machines continue',
  auth: write,
  ...keyed,
  audit: 'os_image.retire',
  stepUp: recentSignIn,
  errors: ['os_image_not_found'],
  params: byImage,
  body: because,
  response: OsImage,
});

export const NodeImage = Type.Object(
  { slug: ImageSlug, digest: Digest, current: Type.Boolean(), verified_at: Timestamp },
  { $id: 'NodeImage', ...strict },
);
export type NodeImage = Static<typeof NodeImage>;

export const nodeImageList = defineRoute({
  id: 'node_image_list',
  method: 'GET',
  path: '/api/v1/admin/nodes/{node_id}/images',
  tag: 'AdminOSImages',
  summary: 'The images of a node, and whether they match those that are offered',
  auth: read,
  ...shared,
  errors: ['node_not_found'],
  params: Type.Object({ node_id: Uuid }, strict),
  response: Type.Object({ data: Type.Array(NodeImage) }, strict),
});

export const nodeImageSet = defineRoute({
  id: 'node_image_set',
  method: 'PUT',
  path: '/api/v1/admin/nodes/{node_id}/images/{os_image}',
  tag: 'AdminOSImages',
  summary: 'Record that a node has an image, checked against this digest',
  auth: write,
  ...keyed,
  audit: 'node_image.set',
  stepUp: recentSignIn,
  errors: ['node_not_found', 'os_image_not_found'],
  params: Type.Object({ node_id: Uuid, os_image: ImageSlug }, strict),
  body: Type.Object({ digest: Digest }, strict),
  response: NodeImage,
});

export const nodeImageForget = defineRoute({
  id: 'node_image_forget',
  method: 'DELETE',
  path: '/api/v1/admin/nodes/{node_id}/images/{os_image}',
  tag: 'AdminOSImages',
  summary: 'Record that a node no longer has an image',
  auth: write,
  ...keyed,
  audit: 'node_image.forget',
  stepUp: recentSignIn,
  errors: ['node_not_found', 'os_image_not_found'],
  params: Type.Object({ node_id: Uuid, os_image: ImageSlug }, strict),
  response: NodeImage,
});

export const catalogDefaults = defineRoute({
  id: 'catalog_defaults',
  method: 'POST',
  path: '/api/v1/admin/catalog/defaults',
  tag: 'AdminSkus',
  summary: 'Load the default catalog; existing entries stay unchanged',
  auth: write,
  ...keyed,
  audit: 'catalog.load_defaults',
  stepUp: recentSignIn,
  errors: [],
  body: Type.Object({ reason: Type.Optional(reason) }, strict),
  response: Type.Object(
    {
      added: Type.Object(
        {
          regions: Type.Array(Slug),
          skus: Type.Array(SkuSlug),
          prices: Type.Integer(),
          os_images: Type.Array(ImageSlug, {
            description: 'Not active: each needs the digest of an image that was built.',
          }),
        },
        strict,
      ),
    },
    strict,
  ),
});
