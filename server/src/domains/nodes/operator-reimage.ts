import { nodeReimage, nodeReimageRequested } from '@gpuaas/contract';
import type { TaskParams } from '@gpuaas/contract/node';
import { type Database, handlers, type Mounted, sql } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { absentNode, factsOf, movedOn } from './operator-nodes.ts';
import { findNode, lockNode, showNode } from './operator-store.ts';
import { mayBeReimaged } from './sagas/reimage.ts';
import { hasOpenReimage, holdings } from './sagas/store.ts';

const imageSql = sql(
  'node-reimage-image',
  'select slug, digest, driver_strategy from os_images where slug = $1 and $2 = any (skus)',
);
const on = handlers<{ readonly db: Database }>();

const reimage = on(nodeReimage, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const locked = await lockNode(tx, params.node_id);
    const row = locked && (await findNode(tx, params.node_id));
    if (!row || row.state === 'deleted') return tx.abandon(absentNode());
    if (body.version !== undefined && body.version !== Number(row.version)) {
      return tx.abandon(movedOn(body.version, Number(row.version)));
    }
    if (!mayBeReimaged(row)) {
      return tx.abandon(
        new Fault('illegal_transition', `It is ${row.state}: drain, retire or quarantine it first.`, {
          state: row.state,
        }),
      );
    }
    if (await hasOpenReimage(tx, row.id)) {
      return tx.abandon(new Fault('illegal_transition', 'It is being imaged again already.', { state: row.state }));
    }
    const held = await holdings(tx, row.id);
    if (held.length > 0) return tx.abandon(new Fault('node_in_use', held.join(' '), { held }));
    const [image] = await tx.rows<TaskParams<'node.reimage_prepare'>['image']>(imageSql, [body.image, row.sku]);
    if (!image) {
      return tx.abandon(new Fault('os_image_not_found', `There is no image ${body.image} for ${row.sku}.`));
    }
    return tx.commit(showNode(row), {
      target: { type: 'node', id: row.id },
      change: { image: image.slug, digest: image.digest, reason: body.reason },
      events: [nodeReimageRequested.of(row.id, { ...factsOf(row), image, reason: body.reason })],
    });
  }),
);

export const reimageRoutes = (parts: { readonly db: Database }): Mounted[] => [reimage(parts)];
