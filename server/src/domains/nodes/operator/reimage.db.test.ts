import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { asSystem, openWorld, type World } from '../../../testing/world.ts';
import { placeNode } from '../../inventory/testing.ts';

let world: World;
let operator: string;
beforeAll(async () => {
  world = await openWorld();
  operator = await world.operator();
  expect((await admin('POST', 'catalog/defaults', { reason: 'a test' })).status).toBe(200);
});
afterAll(() => world.close());

const admin = (method: string, path: string, body: object) =>
  world.call(method, `/api/v1/admin/${path}`, { as: operator, key: systemIds.next(), body });
const place = (over: Partial<Parameters<typeof placeNode>[1]> = {}) =>
  placeNode(world.root, { sku: 'h200-sxm-slice', region: 'test', slots: [{}, {}], ...over });

describe('imaging a host again', () => {
  const reimage = (id: string, image: string) =>
    admin('POST', `nodes/${id}/reimage`, { image, reason: 'a new kernel' });
  const image = async () => {
    const slug = `image-${systemIds.next().slice(-12)}`;
    await asSystem(
      world.root,
      `insert into os_images (id, slug, display_name, digest, driver_strategy, size_bytes, skus)
       select $1, $2, 'An image', 'sha256:' || repeat('a', 64), 'preinstalled', 1, array_agg(slug) from skus`,
      [systemIds.next(), slug],
    );
    return slug;
  };

  it('is asked of one that is aside and holds nothing, once at a time, and nobody takes it back meanwhile', async () => {
    const slug = await image();
    const busy = await place();
    expect((await reimage(busy, slug)).body.code).toBe('illegal_transition');
    const aside = await place({ state: 'quarantined' });
    expect((await reimage(aside, 'no-such-image')).body.code).toBe('os_image_not_found');
    expect(await reimage(aside, slug)).toMatchObject({ status: 202, body: { state: 'quarantined' } });
    await asSystem(
      world.root,
      `insert into node_tasks (id, node_id, task_type, generation, envelope, correlation_id, issued_at, expires_at)
       values ($1, $2, 'node.reimage_prepare', 1, '{}', 'c', now(), now() + interval '1 hour')`,
      [systemIds.next(), aside],
    );
    expect((await reimage(aside, slug)).body.code).toBe('illegal_transition');
    const clear = await admin('POST', `nodes/${aside}/clear`, { reason: 'it looks well' });
    expect(clear.body).toMatchObject({ code: 'illegal_transition', message: expect.stringContaining('imaged again') });
  });
});
