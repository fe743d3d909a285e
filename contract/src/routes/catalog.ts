import { type Static, Type } from 'typebox';
import { Name, Slug, Timestamp, Uuid } from '../ids.ts';
import { Money } from '../money.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

export const SkuSlug = Type.String({ pattern: '^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$', maxLength: 63 });
export const ImageSlug = Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,99}$', maxLength: 100 });
export const CapacityShape = Type.Enum(['baremetal', 'gpu_slice'], {
  description: 'A whole node, or a virtual machine with some of its GPUs.',
});
export const BillingUnit = Type.Enum(['gpu_hour', 'node_hour']);
const GpuCount = Type.Integer({ minimum: 1, maximum: 64 });
const strict = { additionalProperties: false } as const;

export const VmProfile = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9_]{1,64}$' }),
    gpus: GpuCount,
    vcpus: Type.Integer({ minimum: 1, maximum: 1024 }),
    memory_mib: Type.Integer({ minimum: 256, maximum: 16_777_216 }),
  },
  { $id: 'VmProfile', ...strict },
);
export type VmProfile = Static<typeof VmProfile>;

export const ResourceProfile = Type.Object(
  {
    fabric: Type.Enum(['ib', 'roce', 'none'], {
      description:
        'The fabric between the GPUs of several nodes. Unless it is none, a slot needs a virtual function of it.',
    }),
    slice_vm_profiles: Type.Array(VmProfile, {
      maxItems: 64,
      description: 'Sizes of virtual machine. The first one of a GPU count is the default.',
    }),
  },
  { $id: 'ResourceProfile', ...strict },
);
export type ResourceProfile = Static<typeof ResourceProfile>;

/** The machine size for a GPU count; nothing for a whole node. */
export const profileFor = (profile: ResourceProfile, gpus: number): VmProfile | undefined =>
  profile.slice_vm_profiles.find((each) => each.gpus === gpus);

export const Region = Type.Object(
  { slug: Slug, name: Name, active: Type.Boolean(), created_at: Timestamp },
  { $id: 'Region', ...strict },
);
export type Region = Static<typeof Region>;

export const skuFields = {
  sku: SkuSlug,
  vendor: Type.String({ minLength: 1, maxLength: 100 }),
  display_name: Name,
  gpu_model: Type.String({ minLength: 1, maxLength: 100, description: 'As the driver reports it.' }),
  gpu_memory_mib: Type.Integer({ minimum: 1, maximum: 16_777_216 }),
  capacity_shape: CapacityShape,
  gpus_total: GpuCount,
  allowed_gpu_counts: Type.Array(GpuCount, { minItems: 1, maxItems: 64, uniqueItems: true }),
  billing_unit: BillingUnit,
  resource_profile: ResourceProfile,
};

export const CurrentPrice = Type.Object(
  {
    price_id: Uuid,
    region: Type.Union([Slug, Type.Null()], {
      description: 'Null for the price of all regions without their own.',
    }),
    unit_price: Money,
    effective_from: Timestamp,
  },
  { $id: 'CurrentPrice', ...strict },
);
export type CurrentPrice = Static<typeof CurrentPrice>;

export const Availability = Type.Object(
  {
    region: Slug,
    gpu_count: GpuCount,
    available: Type.Integer({
      minimum: 0,
      description: 'How many allocations of this size fit now.',
    }),
  },
  { $id: 'Availability', ...strict },
);
export type Availability = Static<typeof Availability>;

export const CatalogItem = Type.Object(
  {
    ...skuFields,
    prices: Type.Array(CurrentPrice, { description: 'The price of one unit now; the price of a region comes first.' }),
    availability: Type.Array(Availability),
    os_images: Type.Array(ImageSlug),
    default_image: Type.Union([ImageSlug, Type.Null()], {
      description: 'The image of an allocation that names none; null where there is no image.',
    }),
  },
  { $id: 'CatalogItem', ...strict },
);
export type CatalogItem = Static<typeof CatalogItem>;

export const PublicImage = Type.Object(
  {
    slug: ImageSlug,
    display_name: Name,
    digest: Type.String(),
    driver_strategy: Type.Enum(['preinstalled', 'cloud_init']),
    skus: Type.Array(SkuSlug),
  },
  { $id: 'PublicImage', ...strict },
);
export type PublicImage = Static<typeof PublicImage>;

const tag = 'Catalog';
const open = { kind: 'public', why: 'People read the price list before they sign up.' } as const;
const everybodys = { kind: 'none', why: 'The same for everybody.' } as const;

export const catalogList = defineRoute({
  id: 'catalog_list',
  method: 'GET',
  path: '/api/v1/catalog',
  tag,
  summary: 'What can be rented: SKUs, prices and free capacity; a few seconds old at most',
  auth: open,
  tenancy: everybodys,
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object({ ...pageQuery, region: Type.Optional(Slug) }, strict),
  response: page(CatalogItem),
});

export const catalogGet = defineRoute({
  id: 'catalog_get',
  method: 'GET',
  path: '/api/v1/catalog/{sku}',
  tag,
  summary: 'One SKU with its price and free capacity',
  auth: open,
  tenancy: everybodys,
  lane: 'default',
  errors: ['sku_not_found'],
  params: Type.Object({ sku: SkuSlug }, strict),
  response: CatalogItem,
});

export const regionList = defineRoute({
  id: 'region_list',
  method: 'GET',
  path: '/api/v1/regions',
  tag,
  summary: 'The regions',
  auth: open,
  tenancy: everybodys,
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(Region),
});

export const osImageList = defineRoute({
  id: 'os_image_list',
  method: 'GET',
  path: '/api/v1/os-images',
  tag,
  summary: 'The images for slices',
  auth: open,
  tenancy: everybodys,
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object({ ...pageQuery, sku: Type.Optional(SkuSlug) }, strict),
  response: page(PublicImage),
});
