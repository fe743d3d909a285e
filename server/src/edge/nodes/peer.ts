import type { TLSSocket } from 'node:tls';
import { nodeCommonName } from '@gpuaas/contract/node';

/** The node of a connection, by its certificate. */
export interface Peer {
  readonly nodeId: string;
  readonly serial: string;
  readonly expiresAtMs: number;
}

const spiffe = /^URI:spiffe:\/\/gpuaas\/node\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * The node that a connection belongs to; undefined for every other peer. The chain was verified in the handshake. The
 * names must be exactly one URI of a node and the common name of the same node; an ambiguous certificate is refused.
 */
export function peerOf(socket: TLSSocket): Peer | undefined {
  if (!socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  const nodeId = certificate && spiffe.exec(certificate.subjectAltName ?? '')?.[1];
  if (!certificate || !nodeId) return undefined;
  if (!certificate.subject?.split('\n').includes(`CN=${nodeCommonName(nodeId)}`)) return undefined;
  return {
    nodeId,
    serial: certificate.serialNumber.toLowerCase(),
    expiresAtMs: Date.parse(certificate.validTo),
  };
}
