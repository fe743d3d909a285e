import { isIP } from 'node:net';

/** Who asks for a passkey, as a browser knows it. A passkey works for this name alone. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
  readonly name: string;
}

/**
 * Browsers make passkeys for a domain, and only where a page cannot be changed on its way: over TLS, or on this very machine.
 * For an installation that is reached by an IP address or without TLS the answer is undefined.
 */
export function relyingPartyOf(publicUrl: string, name: string): RelyingParty | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return undefined;
  return protocol === 'https:' || isLocal ? { id: hostname, origin, name } : undefined;
}
