import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { asSystem } from '../../../testing/world.ts';
import { eventually } from '../../outbox/testing.ts';
import { type NodesWorld, openNodesWorld } from '../testing.ts';
import { openImageReports } from './image-reports.ts';

let world: NodesWorld;
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
beforeAll(async () => {
  world = await openNodesWorld();
  for (const letter of ['a', 'b']) {
    await asSystem(
      world.root,
      `insert into os_images (id, slug, display_name, digest, driver_strategy, size_bytes, skus)
       values ($1, $2, 'Test', $3, 'preinstalled', 1, '{test-sku}')`,
      [systemIds.next(), `image-${letter}`, digest(letter)],
    );
  }
});
afterAll(() => world.close());

const open = () =>
  openImageReports({
    ...{ db: world.database.database, begin: world.begin, ids: systemIds, clock: world.clock, log: silentLog },
  });
const cached = async (nodeId: string): Promise<string[]> =>
  (
    await world.root.query(
      'select i.slug from node_image_cache c join os_images i on i.id = c.image_id where c.node_id = $1 order by i.slug',
      [nodeId],
    )
  ).rows.map(({ slug }) => slug as string);
const acts = async () =>
  (await world.root.query(`select count(*)::int as n from audit_logs where action = 'node.images_report'`)).rows[0]
    .n as number;
const settled = (nodeId: string, want: readonly string[]) =>
  eventually(async () => {
    await world.clock.advance(1_000);
    return JSON.stringify(await cached(nodeId)) === JSON.stringify(want);
  });

describe('the images that nodes say they have', () => {
  it('are noted as far as the catalogue knows them, and forgotten when they are not named any more', async () => {
    const node = await world.node();
    const images = open();
    images.hear(node.id, [digest('a'), digest('b'), digest('c')]);
    await settled(node.id, ['image-a', 'image-b']);
    images.hear(node.id, [digest('b')]);
    await settled(node.id, ['image-b']);
    images.hear(node.id, []);
    await settled(node.id, []);
    await images.close();
  });

  it('are written once, however often they are said, also by a process that knows nothing yet', async () => {
    const [node, other] = [await world.node(), await world.node()];
    const images = open();
    images.hear(node.id, [digest('a')]);
    await settled(node.id, ['image-a']);
    const before = await acts();
    for (let times = 0; times < 5; times += 1) images.hear(node.id, [digest('a')]);
    const fresh = open();
    fresh.hear(node.id, [digest('a')]);
    fresh.hear(other.id, [digest('b')]);
    await settled(other.id, ['image-b']);
    expect(await acts()).toBe(before + 1);
    await fresh.close();
    await images.close();
  });

  it('leave alone what an operator noted about a host that cannot tell', async () => {
    const node = await world.node();
    await asSystem(
      world.root,
      `insert into node_image_cache (node_id, image_id, digest, verified_at)
       select $1, id, digest, now() from os_images where slug = 'image-a'`,
      [node.id],
    );
    const images = open();
    images.hear(node.id, []);
    images.hear(node.id, [digest('b')]);
    await settled(node.id, ['image-a', 'image-b']);
    await images.close();
  });
});
