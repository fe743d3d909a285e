import { logGatewayName } from '@gpuaas/contract/node';
import { type Client, type ClientIdentity, makeClient } from '../transport/client.ts';
import { makeCheckProcess } from '../transport/trust.ts';

/** The way to the log gateway: with the certificate of the node, and believing the same authorities as the line to the control plane. */
export interface LogConnection {
  /** A client for this address, as the identity that the node has now. Kept until either changes. */
  to(url: string): Promise<Pick<Client, 'call'>>;
  close(): void;
}

export function makeLogConnection(parts: {
  readonly identity: () => ClientIdentity;
  readonly trust: () => Promise<string | undefined>;
  readonly peerId: string | undefined;
}): LogConnection {
  let held: { readonly url: string; readonly certificate: string; readonly client: Client } | undefined;
  const judge = makeCheckProcess(logGatewayName, parts.peerId);
  return {
    async to(url) {
      const identity = parts.identity();
      if (held?.url === url && held.certificate === identity.certificate) return held.client;
      const trust = await parts.trust();
      if (trust === undefined) throw new Error('there is no HTTPS trust file; enrol again with a fingerprint');
      held?.client.retire();
      const client = makeClient({ url: new URL(url), trust, peerId: parts.peerId, identity, judge, hasLine: false });
      held = { url, certificate: identity.certificate, client };
      return client;
    },
    close: () => held?.client.close(),
  };
}
