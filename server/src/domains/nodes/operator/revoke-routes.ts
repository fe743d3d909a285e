import { nodeRevoke } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../../kernel/act.ts';
import { revokeNode } from '../enrolment/identities.ts';
import { findNode } from '../enrolment/identity-store.ts';
import { absentNode } from './nodes-routes.ts';

const on = handlers<{ readonly db: Database }>();

const revoke = on(nodeRevoke, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const node = await findNode(tx, params.node_id);
    if (!node || node.state === 'deleted') return tx.abandon(absentNode());
    const revoked = await revokeNode(tx, node.id, body.reason);
    return tx.commit(
      { revoked },
      { target: { type: 'node', id: node.id }, change: { revoked, reason: body.reason }, events: 'none' },
    );
  }),
);

export const revokeRoutes = (parts: { readonly db: Database }): Mounted[] => [revoke(parts)];
