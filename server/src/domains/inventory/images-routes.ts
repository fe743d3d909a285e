import {
  adminOsImageCreate,
  adminOsImageList,
  adminOsImageRetire,
  adminOsImageUpdate,
  nodeImageForget,
  nodeImageList,
  nodeImageSet,
  osImageList,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import { hostsNamed } from './facts.ts';
import {
  forgetCached,
  hostsLacking,
  type ImageRow,
  insertImage,
  isNode,
  listCached,
  listImages,
  lockImage,
  noteCached,
  showCached,
  showImage,
  showPublicImage,
  updateImage,
} from './images-store.ts';
import { missingSkus } from './skus-store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly changed: () => void;
}
const on = handlers<Parts>();
const absent = () => new Fault('os_image_not_found', 'There is no such object.');

async function unknownSkus(tx: ReadTx, skus: readonly string[]): Promise<Fault<'sku_not_found'> | undefined> {
  const missing = await missingSkus(tx, skus);
  return missing.length === 0
    ? undefined
    : new Fault('sku_not_found', `Nothing is called ${missing.join(', ')} here.`, { skus: missing });
}

/** What is offered must be there wherever an allocation may land: a host that would have to fetch it first is slow, or fails. */
async function notEverywhere(tx: ReadTx, image: ImageRow): Promise<Fault<'os_image_not_cached'> | undefined> {
  const lacking = await hostsLacking(tx, image);
  if (lacking.length === 0) return undefined;
  return new Fault(
    'os_image_not_cached',
    `${lacking.length} hosts that take work do not have ${image.slug} with this digest: publish it there or cordon them.`,
    { nodes: lacking.slice(0, hostsNamed), count: lacking.length },
  );
}

const list = on(osImageList, ({ db }, who, { query }) =>
  readPage({
    name: 'os-images',
    query,
    key: 'slug',
    read: (after, limit) => db.read(who, (tx) => listImages(tx, { activeOnly: true, sku: query.sku, after, limit })),
    keyOf: (row) => row.slug,
    show: showPublicImage,
  }),
);
const listAll = on(adminOsImageList, ({ db }, who, { query }) =>
  readPage({
    name: 'os-images',
    query,
    key: 'slug',
    read: (after, limit) => db.read(who, (tx) => listImages(tx, { activeOnly: false, sku: undefined, after, limit })),
    keyOf: (row) => row.slug,
    show: showImage,
  }),
);

const create = on(adminOsImageCreate, ({ db, ids }, act, { body }) =>
  db.write(act, async (tx) => {
    const unknown = await unknownSkus(tx, body.skus);
    if (unknown) return tx.abandon(unknown);
    const row = await insertImage(tx, { ...body, id: ids.next(), active: false });
    if (!row) {
      return tx.abandon(
        new Fault('os_image_already_exists', `There is an image ${body.slug} already: change its digest instead.`),
      );
    }
    return tx.commit(showImage(row), { target: { type: 'os_image', id: row.slug }, change: body, events: 'none' });
  }),
);

const update = on(adminOsImageUpdate, async ({ db, changed }, act, { params, body }) => {
  const written = await db.write(act, async (tx) => {
    const row = await lockImage(tx, params.os_image);
    if (!row) return tx.abandon(absent());
    const unknown = body.skus && (await unknownSkus(tx, body.skus));
    if (unknown) return tx.abandon(unknown);
    const { size_bytes, ...rest } = body;
    const next: ImageRow = { ...row, ...rest, ...(size_bytes !== undefined && { size_bytes: BigInt(size_bytes) }) };
    const lacking = next.active ? await notEverywhere(tx, next) : undefined;
    if (lacking) return tx.abandon(lacking);
    return tx.commit(showImage(await updateImage(tx, next)), {
      target: { type: 'os_image', id: row.slug },
      change: body,
      events: 'none',
    });
  });
  changed();
  return written;
});

const retire = on(adminOsImageRetire, async ({ db, changed }, act, { params, body }) => {
  const written = await db.write(act, async (tx) => {
    const row = await lockImage(tx, params.os_image);
    if (!row) return tx.abandon(absent());
    return tx.commit(showImage(await updateImage(tx, { ...row, active: false })), {
      target: { type: 'os_image', id: row.slug },
      change: { active: false, reason: body.reason },
      events: 'none',
    });
  });
  changed();
  return written;
});

const absentNode = () => new Fault('node_not_found', 'There is no such object.');

const cached = on(nodeImageList, async ({ db }, who, { params }) =>
  db.read(who, async (tx) =>
    (await isNode(tx, params.node_id))
      ? { data: (await listCached(tx, params.node_id)).map(showCached) }
      : absentNode(),
  ),
);

const note = on(nodeImageSet, async ({ db, changed }, act, { params, body }) => {
  const written = await db.write(act, async (tx) => {
    if (!(await isNode(tx, params.node_id))) return tx.abandon(absentNode());
    const image = await lockImage(tx, params.os_image);
    const row = image && (await noteCached(tx, params.node_id, params.os_image, body.digest));
    if (!row) return tx.abandon(absent());
    const shown = showCached({ slug: image.slug, ...row, current: row.digest === image.digest });
    return tx.commit(shown, {
      target: { type: 'node', id: params.node_id },
      change: { image: image.slug, digest: body.digest },
      events: 'none',
    });
  });
  changed();
  return written;
});

const forget = on(nodeImageForget, async ({ db, changed }, act, { params }) => {
  const written = await db.write(act, async (tx) => {
    if (!(await isNode(tx, params.node_id))) return tx.abandon(absentNode());
    const row = await forgetCached(tx, params.node_id, params.os_image);
    if (!row) return tx.abandon(absent());
    return tx.commit(showCached(row), {
      target: { type: 'node', id: params.node_id },
      change: { image: row.slug, forgotten: row.digest },
      events: 'none',
    });
  });
  changed();
  return written;
});

export const imageRoutes = (parts: Parts): Mounted[] =>
  [list, listAll, create, update, retire, cached, note, forget].map((bind) => bind(parts));
