import { nodeEnrolled } from '@gpuaas/contract';
import type { NodeEnrolled, NodeEnrolment } from '@gpuaas/contract/node';
import { type Act, type Database, systemViewer, type WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { hourMs } from '../../../kernel/units.ts';
import type { Certificates, CsrRefused, IssuedCertificate } from '../../../ports/certificates/port.ts';
import { advanceNode } from '../machine.ts';
import { isSignedBy } from '../signers/result-signature.ts';
import type { TaskSigners } from '../signers/signers.ts';
import { hashEnrolmentToken, voidEnrolmentTokens } from './enrolment-tokens-store.ts';
import {
  findToken,
  insertCertificate,
  insertRenewed,
  keepResultKey,
  lockIdentity,
  revokeCertificates,
  useToken,
} from './identity-store.ts';

/**
 * A token to recover with is for the host that is known, which may hold machines of tenants: an attacker who finds the
 * token must not become that node. A node without a known key has never done anything that could be taken over.
 */
const provesKey = (known: string | null, order: NodeEnrolment): boolean =>
  known === null || (order.result_key === known && isSignedBy(order, known));

/** Says that a certificate was revoked or a node is gone, so that connections are cut at once. */
export const denialsChannel = 'gpuaas_node_denials';

/**
 * Takes every certificate away from a node, and every token that is still open: a new one that is issued after this is the
 * only way back. It is cut off within seconds.
 */
export async function revokeNode(tx: WriteTx, nodeId: string, reason: string): Promise<number> {
  await lockIdentity(tx, nodeId);
  await voidEnrolmentTokens(tx, nodeId);
  const revoked = await revokeCertificates(tx, nodeId, reason);
  tx.wake(denialsChannel, nodeId);
  return revoked;
}

export type EnrolmentRefused = Fault<'node_token_invalid' | 'node_key_unproven'> | CsrRefused;
export type RenewalRefused = Fault<'node_certificate_invalid'> | CsrRefused;
/** The certificate that a connection was opened with. */
export interface ShownCertificate {
  readonly nodeId: string;
  readonly serial: string;
}
export interface Identities {
  /** Takes a one-time token and answers a certificate. The old identity of the node, if it had one, ends. */
  enrol(act: Act, order: NodeEnrolment): Promise<NodeEnrolled | EnrolmentRefused>;
  /** Another certificate for a node that shows a good one, if that is still good when the new one is written down. */
  renew(act: Act, shown: ShownCertificate, csr: string): Promise<NodeEnrolled | RenewalRefused>;
}

/**
 * Enrolment of hosts. The token enrols one node, once; the certificate comes from the authority under the names of our
 * records. Issuing is a network call, so it happens between two transactions: the first finds the token, the second
 * spends it, and of two hosts with the same token one is refused.
 */
export function makeIdentities(parts: {
  readonly db: Database;
  readonly certificates: Certificates;
  readonly signers: Pick<TaskSigners, 'announced'>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly certificateHours: () => number;
  readonly heartbeatSeconds: () => number;
}): Identities {
  const { db, certificates, clock, ids } = parts;
  const spent = () => new Fault('node_token_invalid', 'The token is unknown, used or expired: ask for another one.');
  const unproven = () =>
    new Fault(
      'node_key_unproven',
      'Only the host that enrolled as this node can recover: it signs with the key that it has used so far. A host that lost its key enrols as a new node.',
    );
  const certify = (nodeId: string, csr: string) =>
    certificates.certifyNode({ nodeId, csr, ttlMs: parts.certificateHours() * hourMs });

  async function welcome(nodeId: string, issued: IssuedCertificate): Promise<NodeEnrolled> {
    const { roots } = await certificates.authority();
    return {
      node_id: nodeId,
      certificate: issued.chain,
      authority: roots,
      ...parts.signers.announced(),
      heartbeat_seconds: parts.heartbeatSeconds(),
      server_time: clock.now().toISOString(),
    };
  }

  return {
    async enrol(act, order) {
      const token = await db.read(systemViewer('nodes', { correlationId: ids.next() }), (tx) =>
        findToken(tx, hashEnrolmentToken(order.token)),
      );
      if (!token) return spent();
      const issued = await certify(token.node_id, order.csr);
      if (issued instanceof Fault) return issued;
      const written = await db.write(act, async (tx) => {
        const node = await lockIdentity(tx, token.node_id);
        if (node && token.purpose === 'recover' && !provesKey(node.result_key, order)) return tx.abandon(unproven());
        if (!node || !(await useToken(tx, token.id))) return tx.abandon(spent());
        // A node that is known already gets a new identity and stays what it is; it proves itself by reporting.
        const moved = node.state === 'bootstrap_issued' ? await advanceNode(tx, node.id, 'enrol') : undefined;
        if (moved instanceof Fault) return tx.abandon(spent());
        await keepResultKey(tx, node.id, order.result_key);
        await revokeCertificates(tx, node.id, 'replaced by an enrolment');
        await insertCertificate(tx, node.id, issued);
        tx.wake(denialsChannel, node.id);
        return tx.commit(undefined, {
          target: { type: 'node', id: node.id },
          change: { purpose: token.purpose, serial: issued.serial, agent_version: order.agent_version },
          events: [nodeEnrolled.of(node.id, { node_id: node.id, name: node.name, region: node.region })],
        });
      });
      return written instanceof Fault ? written : welcome(token.node_id, issued);
    },

    async renew(act, { nodeId, serial }, csr) {
      const issued = await certify(nodeId, csr);
      if (issued instanceof Fault) return issued;
      const written = await db.write(act, async (tx) => {
        const node = await lockIdentity(tx, nodeId);
        if (!node || node.state === 'removing' || node.state === 'deleted') {
          return tx.abandon(new Fault('node_certificate_invalid', 'This node was removed.'));
        }
        // It was good when the connection was opened. It may have been revoked since, also while the new one was issued.
        if (!(await insertRenewed(tx, nodeId, serial, issued))) {
          return tx.abandon(new Fault('node_certificate_invalid', 'The certificate was revoked or has expired.'));
        }
        return tx.commit(undefined, {
          target: { type: 'node', id: nodeId },
          change: { serial: issued.serial, not_after: issued.notAfter.toISOString() },
          events: 'none',
        });
      });
      return written instanceof Fault ? written : welcome(nodeId, issued);
    },
  };
}
