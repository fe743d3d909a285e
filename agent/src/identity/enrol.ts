import { X509Certificate } from 'node:crypto';
import { NodeEnrolled, nodeCommonName, nodeSpiffeId, nodeTransport } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import type { Signers } from '../tasks/signers.ts';
import { type Answer, type Client, makeClient } from '../transport/client.ts';
import { fetchPinned, leadsTo, pinnedIn } from '../transport/trust.ts';
import type { Identity, IdentityFiles } from './identity-files.ts';
import { belongsTogether, makeCertificateRequest, makeResultSigner, makeTlsKey, publicResultKey } from './keys.ts';

/**
 * How a host becomes a node, and how a node whose certificate ran out becomes one again: an operator's one-time token,
 * shown only to a control plane whose authority has the pinned fingerprint.
 */
export interface Enrolment {
  readonly token: string;
  /** SHA-256 of the authority's certificate. Without it the HTTPS trust file must already be there. */
  readonly caFingerprint?: string;
}

export class EnrolmentFailure extends Error {
  /** Whether the same token may work later. A refusal is final: a token is good for one node and one time. */
  readonly mayRetry: boolean;
  /** The control plane asked for this much patience. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, mayRetry: boolean, retryAfterMs?: number) {
    super(message);
    this.name = 'EnrolmentFailure';
    this.mayRetry = mayRetry;
    this.retryAfterMs = retryAfterMs;
  }
}

const enrolled = Compile(NodeEnrolled);
const limitMs = 15_000;

export async function enrol(parts: {
  readonly enrolment: Enrolment;
  readonly url: URL;
  readonly peerId: string | undefined;
  readonly files: IdentityFiles;
  readonly agentVersion: string;
  readonly bootId: string;
  /** The node that this host is already: a token of another node must not make it that one. */
  readonly nodeId?: string;
  readonly signers: Pick<Signers, 'pin'>;
}): Promise<{ readonly identity: Identity; readonly answer: NodeEnrolled }> {
  const { files, url, enrolment } = parts;
  const trust = await settleTrust(parts);
  const key = await files.pendingKey(makeTlsKey);
  const resultKey = await files.resultKey();
  // Signed with the key of results: a node that recovers proves that it is the host that is known.
  const body = makeResultSigner(resultKey)({
    token: enrolment.token,
    // The node id comes with the answer: an authority may refuse a request under any other name.
    csr: await makeCertificateRequest(key),
    result_key: publicResultKey(resultKey),
    agent_version: parts.agentVersion,
    boot_id: parts.bootId,
  });
  const client = makeClient({ url, trust, peerId: parts.peerId });
  try {
    const answer = await client.call({ method: 'POST', path: nodeTransport.enrol.path, body, limitMs });
    const given = readAnswer(answer);
    if (parts.nodeId !== undefined && given.node_id !== parts.nodeId) {
      throw new EnrolmentFailure('the token is for another node', false);
    }
    // The file that only the operator writes decides who may name nodes; else the first answer does, over pinned TLS.
    await files.keepNodeAuthority(given.authority);
    // Before the identity: a node that knows who it is and not whom to obey would need another token.
    const before = () => parts.signers.pin(given.signers, given.signers_statement);
    const identity = await takeCertificate({ files, key, given, before });
    await files.keepHttpsTrust(trust);
    await files.dropPendingKey();
    return { identity, answer: given };
  } finally {
    client.close();
  }
}

async function settleTrust(parts: {
  readonly enrolment: Enrolment;
  readonly url: URL;
  readonly files: IdentityFiles;
}): Promise<string> {
  const { caFingerprint } = parts.enrolment;
  const there = await parts.files.httpsTrust();
  if (caFingerprint === undefined) {
    if (there === undefined)
      throw new EnrolmentFailure('neither a fingerprint nor an HTTPS trust file was given', false);
    return there;
  }
  const pinned = there === undefined ? undefined : pinnedIn(there, caFingerprint);
  if (pinned !== undefined) return pinned;
  // Two words of the operator that contradict each other: only a person can say which one is right.
  if (parts.files.hasOperatorTrust) {
    throw new EnrolmentFailure('the HTTPS trust file does not have the authority of the given fingerprint', false);
  }
  return fetchPinned(parts.url, caFingerprint, limitMs);
}

export async function renew(parts: {
  readonly client: Client;
  readonly identity: Identity;
  readonly files: IdentityFiles;
}): Promise<{ readonly identity: Identity; readonly answer: NodeEnrolled }> {
  const { client, files } = parts;
  const { nodeId } = parts.identity;
  const key = makeTlsKey();
  const path = nodeTransport.renew.path.replace('{id}', nodeId);
  const csr = await makeCertificateRequest(key, nodeCommonName(nodeId));
  const given = readAnswer(await client.call({ method: 'POST', path, body: { csr }, limitMs }));
  if (given.node_id !== nodeId) throw new EnrolmentFailure('the renewed certificate is for another node', false);
  const identity = await takeCertificate({ files, key, given });
  // Only now: an answer whose certificate does not hold changes nothing.
  await files.keepNodeAuthority(given.authority);
  return { identity, answer: given };
}

function readAnswer(answer: Answer): NodeEnrolled {
  if (answer.status >= 200 && answer.status < 300 && enrolled.Check(answer.body)) return answer.body;
  const mayRetry = answer.status === 429 || answer.status === 408 || answer.status >= 500;
  throw new EnrolmentFailure(
    `the control plane answered ${answer.status} to a certificate request`,
    mayRetry,
    answer.retryAfterMs,
  );
}

/** What was issued must be for our key, for our name, and from the authority that may name nodes. */
async function takeCertificate(parts: {
  readonly files: IdentityFiles;
  readonly key: string;
  readonly given: NodeEnrolled;
  /** Done when the certificate holds, and before it is written down. */
  readonly before?: () => Promise<void>;
}): Promise<Identity> {
  const { files, key, given } = parts;
  const authority = await files.nodeAuthority();
  const refuse = (why: string) => new EnrolmentFailure(`the issued certificate ${why}`, false);
  if (!belongsTogether(given.certificate, key)) throw refuse('is for another key');
  const names = new X509Certificate(given.certificate).subjectAltName ?? '';
  if (!names.split(', ').includes(`URI:${nodeSpiffeId(given.node_id)}`)) throw refuse('does not carry the node’s name');
  if (authority === undefined || !leadsTo(given.certificate, authority)) {
    throw refuse('does not come from the authority of nodes');
  }
  await parts.before?.();
  return files.write({ nodeId: given.node_id, certificate: given.certificate, key });
}
