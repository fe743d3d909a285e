import { type Database, systemViewer } from '../../kernel/act.ts';
import { liveOfProject } from './project-removal-store.ts';

/**
 * Releases everything that a project holds before the project is removed. The removal calls it again until nothing is left;
 * a release that failed keeps the project, with a reason.
 */
export const makeProjectAllocations = (parts: {
  readonly db: Database;
  readonly release: (allocationId: string, reason: 'project_removed') => Promise<boolean>;
}) => ({
  name: 'allocations',
  async windDown(projectId: string, correlationId: string): Promise<'gone' | { readonly cannot: string }> {
    const live = await parts.db.read(systemViewer('allocations', { correlationId }), (tx) =>
      tx.rows<{ id: string; state: string }>(liveOfProject, [projectId]),
    );
    if (live.length === 0) return 'gone';
    const failed = live.filter(({ state }) => state === 'release_failed');
    if (failed.length > 0) return { cannot: `${failed.length} allocations could not be released.` };
    for (const { id, state } of live) if (state !== 'releasing') await parts.release(id, 'project_removed');
    throw new Error(`${live.length} allocations are being released`);
  },
});
