import { nodeReimage, nodeReimageRequested } from '@gpuaas/contract';
import type { TaskParams } from '@gpuaas/contract/node';
import { type Database, handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Policies } from '../../policy/index.ts';
import { refuseNode } from '../rules/node.ts';
import { absentNode, allowedBy, factsOf, movedOn } from './nodes-routes.ts';
import { imageSql } from './reimage-store.ts';
import { findNode, lockNode, showNode } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly policies: Policies;
}
const on = handlers<Parts>();

const reimage = on(nodeReimage, ({ db, policies }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const locked = await lockNode(tx, params.node_id);
    const row = locked && (await findNode(tx, params.node_id));
    if (!row || row.state === 'deleted') return tx.abandon(absentNode());
    if (body.version !== undefined && body.version !== Number(row.version)) {
      return tx.abandon(movedOn(body.version, Number(row.version)));
    }
    const refused = refuseNode(row, 'reimage', allowedBy(policies));
    if (refused) return tx.abandon(refused);
    const [image] = await tx.rows<TaskParams<'node.reimage_prepare'>['image']>(imageSql, [body.image, row.sku]);
    if (!image) {
      return tx.abandon(new Fault('os_image_not_found', `There is no image ${body.image} for ${row.sku}.`));
    }
    return tx.commit(showNode(row, allowedBy(policies)), {
      target: { type: 'node', id: row.id },
      change: { image: image.slug, digest: image.digest, reason: body.reason },
      events: [nodeReimageRequested.of(row.id, { ...factsOf(row), image, reason: 'operator' })],
    });
  }),
);

export const reimageRoutes = (parts: Parts): Mounted[] => [reimage(parts)];
