import type { Scope } from '@gpuaas/contract';
import { type Database, systemViewer } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';
import { findGoodToken } from './stores/tokens-store.ts';

/** A machine of a tenant, as its storage token shows it. */
export interface StorageMachine {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly scopes: readonly Scope[];
  /** The person who made the token; undefined where a service account did, whose scopes are counted in already. What they may not do any more, the token does not either. */
  readonly personId: string | undefined;
}
const scopesOf = { read: ['storage:read'], write: ['storage:read', 'storage:write'] } as const;

/** The machine behind a token, by its SHA-256. Asked by every request, so the end of an allocation counts from the next one on. */
export const makeFindStorageMachine =
  ({ db, ids }: { readonly db: Database; readonly ids: Ids }) =>
  async (digest: string): Promise<StorageMachine | undefined> => {
    const viewer = systemViewer('storage', { correlationId: ids.next() });
    const found = await db.read(viewer, (tx) => findGoodToken(tx, digest));
    if (!found) return undefined;
    const { level, program_scopes: held } = found;
    return {
      ...{ id: found.id, organizationId: found.organization_id, projectId: found.project_id },
      scopes: scopesOf[level].filter((scope) => held === null || held.includes(scope)),
      personId: held === null ? found.created_by : undefined,
    };
  };
