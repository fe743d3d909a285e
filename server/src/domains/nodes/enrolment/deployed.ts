import type { WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { advanceNode } from '../machine.ts';
import { newestPackages } from '../releases/packages.ts';
import { holdNode } from '../sagas/store.ts';
import { announceSql } from './deployed-store.ts';
import { issueEnrolmentToken, voidEnrolmentTokens } from './enrolment-tokens-store.ts';
import { revokeNode } from './identities.ts';
import { cloudInit, type NodeDoor } from './install.ts';

/**
 * Nodes whose host is installed by another system, such as MAAS. The host enrols with a token that stands in the document of its
 * deployment and nowhere else, so that an enrolment with it proves that this deployment ran.
 */
export interface AnnouncedHost {
  readonly id: string;
  readonly name: string;
  readonly region: string;
  readonly sku: string;
}
/** A node that waits for its host. Repeating it is harmless; false when another node has the name. */
export const announceHost = async (tx: WriteTx, host: AnnouncedHost): Promise<boolean> =>
  (await tx.rows<{ id: string }>(announceSql, [host.id, host.name, host.region, host.sku])).length > 0;

/** What a deployment of the host is given, and the id of the token in it. Earlier tokens are void. */
export async function inviteHost(
  tx: WriteTx,
  parts: { readonly ids: Ids; readonly clock: Clock },
  of: {
    readonly nodeId: string;
    readonly purpose: 'enrol' | 'reimage';
    readonly ttlMinutes: number;
    readonly door: NodeDoor;
    readonly downloads: string;
  },
): Promise<{ readonly enrolmentId: string; readonly cloudInit: string }> {
  const { id, token } = await issueEnrolmentToken(tx, parts, of);
  const packages = await newestPackages(tx, of.downloads);
  // The host is new in both cases: what it had is erased.
  return { enrolmentId: id, cloudInit: cloudInit(of.door, { token, purpose: 'enrol' }, packages) };
}

/** The host does not come: a node that never enrolled is gone, any other is cut off and quarantined. */
export async function withdrawHost(tx: WriteTx, nodeId: string, reason: string): Promise<void> {
  const node = await holdNode(tx, nodeId);
  if (!node || node.state === 'removing' || node.state === 'deleted') return;
  if (node.state === 'bootstrap_issued') {
    await voidEnrolmentTokens(tx, nodeId);
    await advanceNode(tx, nodeId, 'remove', { reason });
    return;
  }
  await revokeNode(tx, nodeId, reason);
  const moved = await advanceNode(tx, nodeId, 'quarantine', { reason });
  // Quarantined already, or on its way out: it takes no work either way.
  if (moved instanceof Fault && moved.code !== 'illegal_transition') throw moved;
}

/** The host is erased and given back: its node goes. `removals.ts` sees it through. */
export async function forgetHost(tx: WriteTx, nodeId: string, reason: string): Promise<void> {
  const node = await holdNode(tx, nodeId);
  if (!node || node.state === 'removing' || node.state === 'deleted') return;
  await revokeNode(tx, nodeId, reason);
  const moved = await advanceNode(tx, nodeId, 'remove', { reason });
  if (moved instanceof Fault) throw moved;
}
