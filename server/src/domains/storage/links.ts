import { hash } from 'node:crypto';
import type { StorageAddress } from '@gpuaas/contract';
import { systemViewer } from '../../kernel/act.ts';
import { hourMs } from '../../kernel/units.ts';
import type { StorageParts } from './parts.ts';
import { findLinkBySecret, noteLinkOpened } from './stores/links-store.ts';
import { shownAs } from './transfers.ts';

/**
 * The path that links to files have. It has nothing to do with the namespace `shared/` of a project. The secret is in the query, which
 * no log and no metric keeps.
 */
export const linkPath = '/shared';

/** Opens a link by its secret: answers a short-lived address of the file, or undefined for every reason that it does not. */
export type OpenLink = (secret: string, correlationId: string) => Promise<StorageAddress | undefined>;

/**
 * Each opening is an act with an audit row in the tenant's log. The bytes come from an address of some seconds, so ranges and
 * resumed downloads cost no further act, and a revoked link ends with its last address.
 */
export const makeOpenLink =
  ({ db, ids, clock, policies, transfers, begin }: StorageParts): OpenLink =>
  async (secret, correlationId) => {
    const viewer = systemViewer('storage', { correlationId: ids.next() });
    const link = await db.read(viewer, (tx) => findLinkBySecret(tx, hash('sha256', secret, 'hex')));
    if (!link || link.blob_id === null) return undefined;
    const of = { organizationId: link.organization_id, projectId: link.project_id };
    // A policy that became stricter holds for links that were made before.
    const endsMs = link.created_at.getTime() + policies.number('storage.link_hours_max', of) * hourMs;
    if (endsMs <= clock.now().getTime()) return undefined;
    await db.write(begin('storage.link.open', { ...of, correlationId }), async (tx) => {
      await noteLinkOpened(tx, link.id);
      return tx.commit(undefined, {
        target: { type: 'storage_link', id: link.id },
        change: { object_id: link.object_id },
        events: 'none',
      });
    });
    return transfers.read(
      { projectId: link.project_id, blobId: link.blob_id },
      shownAs(link.content_type, link.name, Number(link.size_bytes)),
      policies.number('storage.address_seconds', of),
    );
  };
