import { timingSafeEqual } from 'node:crypto';

/** A key is `consumer:token:secret`. The header of OAuth 1.0a with PLAINTEXT, the only method that MAAS takes: the connection has to keep it secret. */
export function authorization(apiKey: string, parts: { readonly nonce: string; readonly now: Date }): string {
  const [consumer = '', token = '', secret = ''] = apiKey.split(':');
  const words = {
    oauth_version: '1.0',
    oauth_nonce: parts.nonce,
    oauth_timestamp: String(Math.floor(parts.now.getTime() / 1_000)),
    oauth_consumer_key: consumer,
    oauth_token: token,
    oauth_signature_method: 'PLAINTEXT',
    oauth_signature: `&${secret}`,
  };
  const list = Object.entries(words).map(([name, value]) => `${name}="${encodeURIComponent(value)}"`);
  return `OAuth realm="OAuth", ${list.join(', ')}`;
}

/** The key that a header carries; undefined when it carries none that is whole. */
export function apiKeyIn(header: string | undefined): string | undefined {
  if (!header?.startsWith('OAuth ')) return undefined;
  const words = new Map(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decodeURIComponent(value)]),
  );
  const signature = words.get('oauth_signature') ?? '';
  if (words.get('oauth_signature_method') !== 'PLAINTEXT' || !signature.startsWith('&')) return undefined;
  return `${words.get('oauth_consumer_key')}:${words.get('oauth_token')}:${signature.slice(1)}`;
}

export function isSameKey(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
