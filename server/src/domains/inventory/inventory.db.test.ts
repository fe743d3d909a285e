import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeAct, systemViewer } from '../../kernel/act.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type World } from '../../testing/world.ts';
import { findPrice, seedCatalog } from './index.ts';
import { cacheImages, placeNode, type TestSlot } from './testing.ts';

let world: World;
let operator: string;
const clock = makeTestClock(new Date('2026-03-01T12:00:00Z'));
beforeAll(async () => {
  world = await openWorld({ clock });
  operator = await world.operator();
  await seed('simulated');
});
afterAll(() => world.close());

const seed = (images: 'simulated' | 'announced') =>
  world.database.database.write(
    makeAct(systemViewer('tester', { correlationId: systemIds.next() }), 'catalog.seed', systemIds.next()),
    async (tx) =>
      tx.commit(await seedCatalog(tx, { ids: systemIds, region: 'test', images }), {
        target: { type: 'catalog', id: 'defaults' },
        events: 'none',
      }),
  );
const admin = (method: string, path: string, body?: object) =>
  world.call(method, `/api/v1/admin/${path}`, {
    as: operator,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body && { body }),
  });
const slot = (over: Partial<TestSlot> = {}, many = 1): TestSlot[] => Array.from({ length: many }, () => over);
const freeOf = async (sku: string, region: string): Promise<Record<number, number>> => {
  await clock.advance(6_000);
  const { body } = await world.call('GET', `/api/v1/catalog/${sku}`);
  const own = body.availability.filter((free: { region: string }) => free.region === region);
  return Object.fromEntries(
    own.map((free: { gpu_count: number; available: number }) => [free.gpu_count, free.available]),
  );
};
/** A region that no other test looks at. */
const freshRegion = async (): Promise<string> => {
  const slug = `r-${systemIds.next().slice(-12)}`;
  await asSystem(world.root, 'insert into regions (slug, name) values ($1, $1)', [slug]);
  return slug;
};

describe('the catalogue', () => {
  it('is read by anybody, with prices, sizes and images', async () => {
    const { status, body } = await world.call('GET', '/api/v1/catalog');
    expect(status).toBe(200);
    expect(body.data.map(({ sku }: { sku: string }) => sku)).toEqual([
      'cs-3',
      'cs-4',
      'h100',
      'h200',
      'h200-sxm-baremetal-8g',
      'h200-sxm-slice',
      'mi210x',
      'mi300x',
    ]);
    expect(body.data.find(({ sku }: { sku: string }) => sku === 'h200-sxm-slice')).toMatchObject({
      allowed_gpu_counts: [1, 2, 4],
      prices: [{ region: null, unit_price: { amount_minor: '450', currency: 'USD' } }],
      os_images: ['ubuntu-24.04-h200-base', 'ubuntu-24.04-h200-cuda'],
      default_image: 'ubuntu-24.04-h200-cuda',
    });
  });

  it('is the same after it was loaded twice, and keeps what an operator changed', async () => {
    await admin('PATCH', 'skus/mi210x', { display_name: 'Ours' });
    expect(await seed('announced')).toMatchObject({ value: { regions: [], skus: [], prices: 0, os_images: [] } });
    expect((await admin('GET', 'skus/mi210x')).body.display_name).toBe('Ours');
  });

  it('comes in pages', async () => {
    const first = await world.call('GET', '/api/v1/catalog?limit=5');
    expect(first.body).toMatchObject({ has_more: true });
    const rest = await world.call('GET', `/api/v1/catalog?limit=5&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...rest.body.data]).toHaveLength(8);
  });

  it('offers what an operator adds, and no longer what was retired', async () => {
    const sku = 'b200-try';
    const made = await admin('POST', 'skus', {
      sku,
      vendor: 'NVIDIA',
      display_name: 'A try',
      gpu_model: 'NVIDIA B200',
      gpu_memory_mib: 183_359,
      capacity_shape: 'gpu_slice',
      gpus_total: 8,
      allowed_gpu_counts: [2, 1],
      resource_profile: {
        fabric: 'none',
        slice_vm_profiles: [
          { name: 'a', gpus: 1, vcpus: 8, memory_mib: 4_096 },
          { name: 'b', gpus: 2, vcpus: 8, memory_mib: 4_096 },
        ],
      },
    });
    expect(made.status, made.text).toBe(201);
    expect(made.body.allowed_gpu_counts).toEqual([1, 2]);
    expect((await world.call('GET', `/api/v1/catalog/${sku}`)).status).toBe(200);
    expect((await admin('POST', 'skus', { ...bare(sku) })).body.code).toBe('sku_already_exists');
    expect((await admin('POST', `skus/${sku}/retire`, { reason: 'it was a try' })).body.active).toBe(false);
    expect(await world.call('GET', `/api/v1/catalog/${sku}`)).toMatchObject({
      status: 404,
      body: { code: 'sku_not_found' },
    });
    await admin('PATCH', `skus/${sku}`, { active: true });
    expect((await world.call('GET', `/api/v1/catalog/${sku}`)).status).toBe(200);
    await admin('POST', `skus/${sku}/retire`, { reason: 'it was a try' });
  });

  it('refuses counts without a size, and says which', async () => {
    const reply = await admin('PATCH', 'skus/h200-sxm-slice', { allowed_gpu_counts: [1, 3] });
    expect(reply).toMatchObject({ status: 422, body: { code: 'sku_invalid' } });
    expect(reply.body.details.problems).toEqual(['No profile in slice_vm_profiles has 3 GPUs.']);
  });

  it.each(['$(reboot)', 'a b', '../etc', 'ü', '-rf', "a';--", 'x'.repeat(64), ''])(
    'has nothing called %j',
    async (sku) => {
      expect(await admin('POST', 'skus', bare(sku))).toMatchObject({ status: 400, body: { code: 'validation_error' } });
      expect((await admin('POST', 'regions', { slug: sku, name: 'N' })).status).toBe(400);
    },
  );
});
const bare = (sku: string) => ({
  sku,
  vendor: 'V',
  display_name: 'D',
  gpu_model: 'M',
  gpu_memory_mib: 1,
  capacity_shape: 'baremetal',
  gpus_total: 8,
});

describe('a price', () => {
  const add = (sku: string, amount: string, more: object = {}) =>
    admin('POST', `skus/${sku}/prices`, {
      unit_price: { amount_minor: amount, currency: 'USD' },
      reason: 'a test',
      ...more,
    });
  const at = (sku: string, region: string, when: Date) =>
    world.database.database.read(systemViewer('tester', { correlationId: 'c' }), (tx) =>
      findPrice(tx, { sku, region, currency: 'USD', at: when }),
    );
  const minute = 60_000;

  it('counts from its moment on, and what was before stays as it was', async () => {
    const region = await freshRegion();
    const now = clock.now();
    const later = new Date(now.getTime() + 10 * minute);
    expect((await add('h100', '250', { effective_from: later.toISOString() })).body).toMatchObject({ state: 'future' });
    expect((await at('h100', region, now))?.unitPriceMinor).toBe(200n);
    expect((await at('h100', region, later))?.unitPriceMinor).toBe(250n);
    await clock.advance(11 * minute);
    expect((await at('h100', region, now))?.unitPriceMinor).toBe(200n);
    const shown = await world.call('GET', '/api/v1/catalog/h100');
    expect(shown.body.prices).toMatchObject([{ unit_price: { amount_minor: '250' } }]);
    const { body } = await admin('GET', 'skus/h100/prices');
    expect(body.data.map(({ state }: { state: string }) => state)).toEqual(['current', 'past']);
  });

  it('needs a reason', async () => {
    expect(await add('h100', '260', { reason: undefined })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', details: { fields: [{ field: 'reason', message: 'is missing' }] } },
    });
  });

  it('of a region goes before the one without, however old', async () => {
    const [priced, other] = [await freshRegion(), await freshRegion()];
    await add('h200', '444', { region: priced });
    await clock.advance(minute);
    await add('h200', '555');
    expect((await at('h200', priced, clock.now()))?.unitPriceMinor).toBe(444n);
    expect((await at('h200', other, clock.now()))?.unitPriceMinor).toBe(555n);
    expect(await at('h200', other, new Date('2020-01-01'))).toBeUndefined();
  });

  it('is not set for the past, for nowhere, or twice for one moment', async () => {
    expect((await add('cs-3', '1', { effective_from: '2020-01-01T00:00:00Z' })).body.code).toBe('price_backdated');
    expect((await add('cs-3', '1', { region: 'nowhere' })).body.code).toBe('region_not_found');
    expect((await add('nothing', '1')).body.code).toBe('sku_not_found');
    const when = new Date(clock.now().getTime() + minute).toISOString();
    expect((await add('cs-3', '1', { effective_from: when })).status).toBe(201);
    expect((await add('cs-3', '2', { effective_from: when })).body.code).toBe('price_already_exists');
    expect((await add('cs-3', '-1')).status).toBe(400);
    expect((await add('cs-3', '1.5')).status).toBe(400);
  });

  it('is never changed or removed, by whomever', async () => {
    await expect(asSystem(world.root, 'update sku_prices set unit_price_minor = 1', [])).rejects.toThrow();
    await world.root.query('rollback');
    await expect(asSystem(world.root, 'delete from sku_prices', [])).rejects.toThrow();
    await world.root.query('rollback');
  });
});

describe('what is free', () => {
  let region: string;
  beforeEach(async () => {
    region = await freshRegion();
  });
  const slices = async (slots: readonly TestSlot[], more: object = {}) => {
    const id = await placeNode(world.root, { sku: 'h200-sxm-slice', region, slots, ...more });
    await cacheImages(world.root, id);
    return id;
  };

  it('is counted per NUMA group: two groups of three take no four', async () => {
    await slices([...slot({ numa: 0 }, 3), ...slot({ numa: 1 }, 3)]);
    expect(await freeOf('h200-sxm-slice', region)).toEqual({ 1: 6, 2: 2, 4: 0 });
  });

  it('is counted per node: two nodes with two each take no four', async () => {
    await slices(slot({}, 2));
    await slices(slot({}, 2));
    expect(await freeOf('h200-sxm-slice', region)).toEqual({ 1: 4, 2: 2, 4: 0 });
  });

  it('leaves out what is taken, unwell, or lacks fabric or disk', async () => {
    await slices([
      ...slot({}, 2),
      { state: 'reserved' },
      { state: 'quarantined' },
      { state: 'cleanup_blocked' },
      { health: 'failed' },
      { fabric: false },
      { disk: false },
    ]);
    expect(await freeOf('h200-sxm-slice', region)).toEqual({ 1: 2, 2: 1, 4: 0 });
  });

  it.each([
    ['is cordoned', { schedulable: false }],
    ['is offline', { state: 'offline' }],
    ['is draining', { state: 'draining' }],
    ['is quarantined', { state: 'quarantined' }],
  ])('has nothing from a host that %s', async (_, more) => {
    await slices(slot({}, 8), more);
    expect(await freeOf('h200-sxm-slice', region)).toEqual({ 1: 0, 2: 0, 4: 0 });
  });

  it('has nothing from a host without an image, or with an old one', async () => {
    const id = await placeNode(world.root, { sku: 'h200-sxm-slice', region, slots: slot({}, 4) });
    expect(await freeOf('h200-sxm-slice', region)).toEqual({ 1: 0, 2: 0, 4: 0 });
    const set = (digest: string) => admin('PUT', `nodes/${id}/images/ubuntu-24.04-h200-cuda`, { digest });
    expect((await set(`sha256:${'0'.repeat(64)}`)).body).toMatchObject({ current: false });
    expect(await freeOf('h200-sxm-slice', region)).toEqual({ 1: 0, 2: 0, 4: 0 });
    const { body } = await world.call('GET', '/api/v1/os-images?sku=h200-sxm-slice');
    const image = body.data.find(({ slug: name }: { slug: string }) => name === 'ubuntu-24.04-h200-cuda');
    expect((await set(image.digest)).body).toMatchObject({ current: true });
    expect(await freeOf('h200-sxm-slice', region)).toEqual({ 1: 4, 2: 2, 4: 1 });
    await admin('DELETE', `nodes/${id}/images/ubuntu-24.04-h200-cuda`);
    expect(await freeOf('h200-sxm-slice', region)).toEqual({ 1: 0, 2: 0, 4: 0 });
  });

  it('of whole nodes are those that nobody holds any part of', async () => {
    const whole = (slots: readonly TestSlot[]) =>
      placeNode(world.root, { sku: 'h200-sxm-baremetal-8g', region, slots });
    await whole(slot({ fabric: false }, 8));
    await whole([...slot({}, 7), { state: 'in_use' }]);
    await whole(slot({}, 7));
    expect(await freeOf('h200-sxm-baremetal-8g', region)).toEqual({ 8: 1 });
  });

  it('is nothing in a region that is closed', async () => {
    await slices(slot({}, 8));
    await admin('PATCH', `regions/${region}`, { active: false });
    expect(await freeOf('h200-sxm-slice', region)).toEqual({});
  });

  it('is narrowed to a region on request', async () => {
    await slices(slot({}, 1));
    await clock.advance(6_000);
    const { body } = await world.call('GET', `/api/v1/catalog?region=${region}`);
    const item = body.data.find(({ sku }: { sku: string }) => sku === 'h200-sxm-slice');
    expect(item.availability.map((free: { region: string }) => free.region)).toEqual([region, region, region]);
  });
});

describe('an image', () => {
  const digest = (char: string) => `sha256:${char.repeat(64)}`;
  it('is offered once every host that takes work has it, and not before', async () => {
    const region = await freshRegion();
    const sku = `img-${systemIds.next().slice(-8)}`;
    await admin('POST', 'skus', {
      ...bare(sku),
      capacity_shape: 'gpu_slice',
      allowed_gpu_counts: [1],
      resource_profile: {
        fabric: 'none',
        slice_vm_profiles: [{ name: 'a', gpus: 1, vcpus: 8, memory_mib: 4_096 }],
      },
    });
    const slug = `${sku}-os`;
    const made = await admin('POST', 'os-images', {
      slug,
      display_name: 'An image',
      digest: digest('a'),
      driver_strategy: 'cloud_init',
      size_bytes: 5_368_709_120,
      skus: [sku],
    });
    expect(made.body, made.text).toMatchObject({ active: false, size_bytes: 5_368_709_120 });
    const id = await placeNode(world.root, { sku, region, slots: slot({}, 1) });
    const refused = await admin('PATCH', `os-images/${slug}`, { active: true });
    expect(refused).toMatchObject({ status: 409, body: { code: 'os_image_not_cached', details: { count: 1 } } });
    expect(refused.body.details.nodes[0].id).toBe(id);
    await admin('PUT', `nodes/${id}/images/${slug}`, { digest: digest('a') });
    expect((await admin('PATCH', `os-images/${slug}`, { active: true })).body).toMatchObject({
      active: true,
      cached_on: 1,
    });
    expect((await admin('PATCH', `os-images/${slug}`, { digest: digest('b') })).body.code).toBe('os_image_not_cached');
    expect((await admin('GET', `nodes/${id}/images`)).body.data).toMatchObject([{ slug, current: true }]);
    expect((await admin('POST', `os-images/${slug}/retire`, { reason: 'it is old' })).body.active).toBe(false);
    expect((await admin('PATCH', `os-images/${slug}`, { skus: ['nothing'] })).body.code).toBe('sku_not_found');
  });
});
