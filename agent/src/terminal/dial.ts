import { terminalInternalCaller, terminalLimits, terminalPaths, terminalProtocols } from '@gpuaas/contract/terminal';
import { WebSocket } from 'ws';
import type { ClientIdentity } from '../transport/client.ts';
import { makeCheckProcess } from '../transport/trust.ts';

/** Opens a connection to the gateway for one session. What comes back is not open yet, or fails. */
export type Dial = (order: { readonly gatewayUrl: string; readonly sessionId: string }) => Promise<WebSocket>;

/**
 * Dials with the certificate of the node, and believes the same authorities as the line to the control plane. The gateway
 * shows its own name, so that a certificate of another process, or of a node, does not do. Where the control plane is
 * known by its host name, a gateway that shows no name of a process is too.
 */
export function makeDial(parts: {
  readonly identity: () => ClientIdentity;
  readonly trust: () => Promise<string | undefined>;
  readonly peerId: string | undefined;
}): Dial {
  const judge = makeCheckProcess(terminalInternalCaller, parts.peerId);
  return async ({ gatewayUrl, sessionId }) => {
    const trust = await parts.trust();
    if (trust === undefined) throw new Error('there is no HTTPS trust file; enrol again with a fingerprint');
    const { certificate, key } = parts.identity();
    const base = new URL(gatewayUrl);
    return new WebSocket(new URL(terminalPaths.node.replace('{session_id}', sessionId), base), terminalProtocols.node, {
      // Read for each connection: a certificate that was renewed is shown from the next one on.
      ca: trust,
      cert: certificate,
      key,
      minVersion: 'TLSv1.3',
      allowPartialTrustChain: true,
      rejectUnauthorized: true,
      // Node calls it as it calls every other one; the types of the package say another thing.
      checkServerIdentity: judge as never,
      perMessageDeflate: false,
      maxPayload: terminalLimits.insideMessageBytes,
      handshakeTimeout: terminalLimits.helloSeconds * 1_000,
      followRedirects: false,
    });
  };
}
