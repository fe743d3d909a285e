import { join } from 'node:path';
import { makeDisk } from '../disk.ts';
import { makeIdentityFiles } from '../identity/identity-files.ts';
import { openLeases } from '../leases/leases.ts';
import type { AgentSettings } from '../settings.ts';
import { openJournal } from '../tasks/journal.ts';

/** Says what this node is and holds, from its files. Changes nothing. */
export async function describeNode(settings: AgentSettings): Promise<object> {
  const disk = makeDisk({ forced: true });
  const at = (name: string) => join(settings.stateDir, name);
  const identity = await makeIdentityFiles({ disk, ...settings }).read();
  const leases = await openLeases({ disk, dir: at('leases') });
  const journal = await openJournal({ disk, dir: at('tasks') });
  return {
    enrolled: identity !== undefined,
    ...(identity && { node_id: identity.nodeId, certificate_valid_to: new Date(identity.validToMs).toISOString() }),
    draining: (await disk.read(at('drain.json'))) !== undefined,
    leases: leases.held(),
    tasks: journal.open().map(({ state, task }) => ({ task_id: task.task_id, task_type: task.task_type, state })),
    unreadable: [...leases.unreadable, ...journal.unreadable],
  };
}
