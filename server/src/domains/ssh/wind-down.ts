import type { BeginAct, Database } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Resident } from '../tenancy/index.ts';
import { removeKeysOfProject } from './store.ts';

/** The keys of a project go when the project goes. Asked again, it finds nothing left to do. */
export const makeProjectKeys = (parts: { readonly db: Database; readonly begin: BeginAct }): Resident => ({
  name: 'ssh-keys',
  async windDown(projectId, correlationId) {
    await parts.db.write(parts.begin('project_ssh_key.wind_down', { correlationId, projectId }), async (tx) => {
      const gone = await removeKeysOfProject(tx, projectId);
      const [organizationId] = gone;
      if (organizationId === undefined) return tx.abandon(new Fault('ssh_key_not_found', 'There is no key left.'));
      return tx.commit(undefined, {
        organizationId,
        target: { type: 'project', id: projectId },
        change: { ssh_keys_removed: gone.length },
        events: 'none',
      });
    });
    return 'gone';
  },
});
