import { type Database, systemViewer } from '../../kernel/act.ts';
import { findBucket } from './stores/namespaces-store.ts';

/** A project is removed when it stores nothing more: files are never deleted on the way. */
export const makeProjectStorage = (parts: { readonly db: Database }) => ({
  name: 'storage',
  async windDown(projectId: string, correlationId: string): Promise<'gone' | { readonly cannot: string }> {
    const who = systemViewer('storage', { correlationId });
    const bucket = await parts.db.read(who, (tx) => findBucket(tx, projectId));
    const bytes = Number(bucket?.stored_bytes ?? 0) + Number(bucket?.reserved_bytes ?? 0);
    if (bytes === 0) return 'gone';
    return {
      cannot: `It stores ${bytes} bytes of files. Delete them, in the trash too, and remove the project again.`,
    };
  },
});
