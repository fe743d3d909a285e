import type { Database } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { AskReimage } from '../nodes/index.ts';
import { findJobByToken, insertJob, machineOfNode } from './store.ts';
import { maasChannel } from './watch/channel.ts';

/** Has MAAS erase and deploy a host that it manages. The job answers the token with the proof, or with the reason why there is none. */
export const makeAskReimage =
  (parts: { readonly db: Database; readonly ids: Ids }): AskReimage =>
  async (act, { nodeId, organizationId, reason }, token) => {
    const machine = await parts.db.read(act, (tx) => machineOfNode(tx, nodeId));
    if (!machine) return undefined;
    const outcome = await parts.db.write(act, async (tx) => {
      const asked = await findJobByToken(tx, token);
      const id = asked ?? parts.ids.next();
      const isNew =
        asked === undefined &&
        (await insertJob(tx, {
          ...{ id, siteId: machine.site_id, systemId: machine.system_id, kind: 'reimage', nodeId, reason },
          ...{ answerToken: token, createdBy: act.actorId },
        }));
      if (!isNew && asked === undefined) {
        return tx.abandon(new Fault('maas_machine_busy', 'Another job of its machine is open.'));
      }
      tx.wake(maasChannel, 'job');
      return tx.commit(undefined, {
        target: { type: 'node', id: nodeId },
        change: { maas_job: id },
        ...(organizationId !== undefined && { organizationId }),
        events: 'none',
      });
    });
    // The other job will end: an exception makes the saga retry within its limits.
    if (outcome instanceof Fault) throw outcome;
    return 'asked';
  };
