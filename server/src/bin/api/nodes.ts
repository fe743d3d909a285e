import { openTaskSigners, type TaskSigners } from '../../domains/nodes/index.ts';
import type { Policies } from '../../domains/policy/index.ts';
import { actsOf } from '../../kernel/act.ts';
import type { Common } from '../../kernel/process.ts';
import type { Seal } from '../../ports/identity-provider/seal.ts';
import type { Ports } from '../../ports/open.ts';

/** The keys that sign tasks, as every process opens them that signs or shows them. */
export async function openSigners(
  parts: Pick<Ports, 'database'> & Omit<Common<unknown>, 'config' | 'metrics'>,
  settings: { readonly seal: Pick<Seal, 'close' | 'open'> | undefined; readonly policies: Policies },
): Promise<TaskSigners> {
  const { database, clock, ids, log, scope } = parts;
  const { policies } = settings;
  return scope.keep(
    'task-signers',
    await openTaskSigners({
      db: database.database,
      begin: actsOf('nodes', ids),
      ids,
      clock,
      log,
      seal: settings.seal,
      overlapSeconds: () => policies.number('node.signer_overlap_seconds'),
      graceHours: () => policies.number('node.signer_grace_hours'),
      listen: database.listen,
    }),
  );
}
