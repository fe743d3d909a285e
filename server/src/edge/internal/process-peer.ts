import type { TLSSocket } from 'node:tls';
import { type IdentifiedProcess, identifiedProcesses } from '@gpuaas/contract/internal';
import { processCommonName, processSpiffeId } from '@gpuaas/contract/node';

/** The process of a connection, by its certificate. */
export interface ProcessPeer {
  readonly process: IdentifiedProcess;
  /** The DNS names and addresses of the certificate: what a renewal keeps. */
  readonly names: readonly string[];
  readonly serial: string;
  readonly expiresAtMs: number;
}

/**
 * The process that a connection belongs to; undefined for every other peer, such as a node. The chain was verified in the
 * handshake. There must be exactly one URI, of a process that we know, and its common name.
 */
export function processOf(socket: TLSSocket): ProcessPeer | undefined {
  if (!socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  // Node quotes a name that could be taken for several; we issue none of those.
  if (!certificate?.subjectAltName || certificate.subjectAltName.includes('"')) return undefined;
  const all = certificate.subjectAltName.split(', ');
  const uris = all.filter((name) => name.startsWith('URI:'));
  const process = identifiedProcesses.find((one) => uris[0] === `URI:${processSpiffeId(one)}`);
  if (uris.length !== 1 || !process) return undefined;
  if (!certificate.subject?.split('\n').includes(`CN=${processCommonName(process)}`)) return undefined;
  return {
    process,
    names: all.filter((name) => /^(?:DNS|IP Address):/.test(name)).map((name) => name.replace(/^[A-Za-z ]+:/, '')),
    serial: certificate.serialNumber.toLowerCase(),
    expiresAtMs: Date.parse(certificate.validTo),
  };
}
