import type { Database } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { AskReimage } from '../nodes/index.ts';
import { insertJob, jobOfToken, machineOfNode } from './store.ts';
import { maasChannel } from './watch/channel.ts';

/** Hosts that MAAS looks after are erased and deployed by it; the job answers the token when the proof is there or cannot be had. */
export const makeAskReimage =
  (parts: { readonly db: Database; readonly ids: Ids }): AskReimage =>
  async (act, { nodeId, organizationId, reason }, token) => {
    const machine = await parts.db.read(act, (tx) => machineOfNode(tx, nodeId));
    if (!machine) return undefined;
    const outcome = await parts.db.write(act, async (tx) => {
      const asked = await jobOfToken(tx, token);
      const id = asked ?? parts.ids.next();
      const isNew =
        asked === undefined &&
        (await insertJob(tx, {
          ...{ id, siteId: machine.site_id, systemId: machine.system_id, kind: 'reimage', nodeId, reason },
          ...{ answerToken: token, createdBy: act.actorId },
        }));
      if (!isNew && asked === undefined) {
        return tx.abandon(new Fault('maas_machine_busy', 'Something else is done to its machine at MAAS now.'));
      }
      tx.wake(maasChannel, 'job');
      return tx.commit(undefined, {
        target: { type: 'node', id: nodeId },
        change: { maas_job: id },
        ...(organizationId !== undefined && { organizationId }),
        events: 'none',
      });
    });
    // Busy is not for good: thrown, it is tried again, and the limits of the run decide.
    if (outcome instanceof Fault) throw outcome;
    return 'asked';
  };
