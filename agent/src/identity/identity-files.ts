import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { NodeEnrolled } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../disk.ts';
import { makeResultKey } from './keys.ts';

/**
 * Who this node is, on disk. Certificate and TLS key are one file, because a key without its certificate is nobody. The
 * two trust files stay two: `https-ca.pem` says who may be the control plane, `node-ca.pem` says who may name nodes.
 */
export interface Identity {
  readonly nodeId: string;
  /** The chain in PEM, leaf first. */
  readonly certificate: string;
  readonly key: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

export interface IdentityFiles {
  read(): Promise<Identity | undefined>;
  write(identity: { readonly nodeId: string; readonly certificate: string; readonly key: string }): Promise<Identity>;
  /** Made once and kept through every enrolment: results that wait to be posted are signed with it. */
  resultKey(): Promise<string>;
  /** The TLS key of a request that is on its way. Asking again with the same key is asking for the same thing. */
  pendingKey(make: () => string): Promise<string>;
  dropPendingKey(): Promise<void>;
  /** Whether the HTTPS trust is a file of the operator, which the agent reads and never writes. */
  readonly hasOperatorTrust: boolean;
  httpsTrust(): Promise<string | undefined>;
  keepHttpsTrust(pem: string): Promise<void>;
  nodeAuthority(): Promise<string | undefined>;
  keepNodeAuthority(pem: string): Promise<void>;
}

const Kept = Type.Object({
  node_id: NodeEnrolled.properties.node_id,
  certificate: Type.String(),
  key: Type.String(),
});
const kept = Compile(Kept);

export function makeIdentityFiles(parts: {
  readonly disk: Disk;
  readonly stateDir: string;
  /** Files of the operator, read instead of the agent's own and never written. */
  readonly httpsTrustPath?: string;
  readonly nodeAuthorityPath?: string;
}): IdentityFiles {
  const { disk, stateDir } = parts;
  const at = (name: string) => join(stateDir, name);
  return {
    async read() {
      const text = await disk.read(at('identity.json'));
      return text === undefined ? undefined : parse(text);
    },
    async write({ nodeId, certificate, key }) {
      await disk.write(at('identity.json'), JSON.stringify({ node_id: nodeId, certificate, key }));
      return withLife({ node_id: nodeId, certificate, key });
    },
    async resultKey() {
      const there = await disk.read(at('result.key'));
      if (there !== undefined) return there;
      const made = makeResultKey();
      await disk.write(at('result.key'), made);
      return made;
    },
    async pendingKey(make) {
      const there = await disk.read(at('pending.key'));
      if (there !== undefined) return there;
      const made = make();
      await disk.write(at('pending.key'), made);
      return made;
    },
    dropPendingKey: () => disk.remove(at('pending.key')),
    hasOperatorTrust: parts.httpsTrustPath !== undefined,
    httpsTrust: () => disk.read(parts.httpsTrustPath ?? at('https-ca.pem')),
    keepHttpsTrust: (pem) => (parts.httpsTrustPath ? Promise.resolve() : disk.write(at('https-ca.pem'), pem)),
    nodeAuthority: () => disk.read(parts.nodeAuthorityPath ?? at('node-ca.pem')),
    keepNodeAuthority: (pem) => (parts.nodeAuthorityPath ? Promise.resolve() : disk.write(at('node-ca.pem'), pem)),
  };
}

/** A damaged file is not an empty one: an operator has to look, and a new enrolment confirms it. */
function parse(text: string): Identity {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!kept.Check(value)) throw new Error('identity.json is damaged; enrol this node again with an operator’s token');
  return withLife(value);
}

function withLife(value: Static<typeof Kept>): Identity {
  const leaf = new X509Certificate(value.certificate);
  return {
    nodeId: value.node_id,
    certificate: value.certificate,
    key: value.key,
    validFromMs: leaf.validFromDate.getTime(),
    validToMs: leaf.validToDate.getTime(),
  };
}
