import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, connect, type DetailedPeerCertificate, type PeerCertificate } from 'node:tls';
import { nodeSpiffeId, processSpiffeId } from '@gpuaas/contract/node';

/**
 * Whom an agent believes. The control plane's certificate must lead to the HTTPS trust file and carry the control
 * plane's name. A node's own certificate comes from an authority that may be the same one, so a certificate that names
 * a node is never taken for the control plane's, however good its chain is.
 */
export function checkPeer(host: string, peer: PeerCertificate, expectedId: string | undefined): Error | undefined {
  const names = (peer.subjectaltname ?? '').split(', ').filter((name) => name.startsWith('URI:'));
  if (names.some((name) => name.startsWith(`URI:${nodeSpiffeId('')}`))) {
    return new Error('the peer shows the certificate of a node');
  }
  if (expectedId === undefined) return checkServerIdentity(host, peer);
  return names.includes(`URI:${expectedId}`) ? undefined : new Error(`the peer is not ${expectedId}`);
}

/**
 * Judges a process of the control plane that is not the api. It shows its own name; where the control plane is known by its host name, a
 * process that shows no name is too.
 */
export const makeCheckProcess =
  (process: string, peerId: string | undefined) =>
  (host: string, peer: PeerCertificate): Error | undefined => {
    const showsName = (peer.subjectaltname ?? '').includes('URI:spiffe:');
    return checkPeer(host, peer, peerId === undefined && !showsName ? undefined : processSpiffeId(process));
  };

/** Written with or without colons, with or without `sha256:` before it. */
export function readFingerprint(text: string): string {
  const hex = text
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '')
    .replaceAll(':', '');
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error('the fingerprint of an authority is a SHA-256 in hex');
  return hex;
}
const fingerprintOf = (certificate: X509Certificate): string => readFingerprint(certificate.fingerprint256);

export const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  );

/** The pinned authority out of a file that an operator put there. */
export function pinnedIn(pem: string, fingerprint: string): string | undefined {
  return certificatesIn(pem)
    .find((certificate) => fingerprintOf(certificate) === readFingerprint(fingerprint))
    ?.toString();
}

/** By fingerprint: a fleet in one process asks for the same certificate, and a hash has only one. */
const found = new Map<string, string>();
const mostFound = 16;

/**
 * Asks the server for its chain and keeps the one certificate that has the pinned fingerprint. Nothing is sent on this
 * connection and nothing else of it is believed: the certificate is public, its hash is the pin, and what follows is a
 * new connection that is verified against it as any other.
 */
export async function fetchPinned(url: URL, fingerprint: string, limitMs: number): Promise<string> {
  const wanted = readFingerprint(fingerprint);
  const known = found.get(wanted);
  if (known !== undefined) return known;
  const chain = await new Promise<DetailedPeerCertificate>((resolve, reject) => {
    const socket = connect({
      host: url.hostname,
      port: Number(url.port || '443'),
      minVersion: 'TLSv1.3',
      rejectUnauthorized: false,
      timeout: limitMs,
      ...(/^[\d.]+$|:/.test(url.hostname) ? {} : { servername: url.hostname }),
    });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate(true));
      socket.destroy();
    });
    socket.once('timeout', () => socket.destroy(new Error('the control plane did not show a certificate in time')));
    socket.once('error', reject);
  });
  const seen = new Set<string>();
  for (
    let at: DetailedPeerCertificate | undefined = chain;
    at?.raw && !seen.has(at.fingerprint256);
    at = at.issuerCertificate
  ) {
    seen.add(at.fingerprint256);
    const certificate = new X509Certificate(at.raw);
    if (fingerprintOf(certificate) !== wanted) continue;
    if (found.size >= mostFound) found.clear();
    found.set(wanted, certificate.toString());
    return certificate.toString();
  }
  throw new Error('no certificate of the control plane has the pinned fingerprint');
}

/** Whether a chain, leaf first, leads to one of the authorities by valid signatures. */
export function leadsTo(chainPem: string, authorityPem: string): boolean {
  const chain = certificatesIn(chainPem);
  const authorities = certificatesIn(authorityPem);
  const [leaf, ...between] = chain;
  if (!leaf || authorities.length === 0) return false;
  let at = leaf;
  for (let hop = 0; hop <= between.length; hop += 1) {
    const child = at;
    const issued = (parent: X509Certificate) => child.checkIssued(parent) && child.verify(parent.publicKey);
    if (authorities.some(issued)) return true;
    const next = between.find(issued);
    if (!next) return false;
    at = next;
  }
  return false;
}
