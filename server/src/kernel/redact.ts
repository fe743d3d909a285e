/**
 * Secrets do not reach a log, an error body or an audit row. Two nets: keys that name a secret, and values that look
 * like one wherever they stand. What is removed leaves `[REDACTED]` behind, so that a reader knows something was there.
 */
export const redacted = '[REDACTED]';

const secretKeys = new Set(
  [
    'password',
    'password_hash',
    'passphrase',
    'secret',
    'client_secret',
    'access_secret_enc',
    'access_token',
    'refresh_token',
    'id_token',
    'token',
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'private_key',
    'ssh_private_key',
    'ssh_private_key_enc',
    'signing_key',
    'stripe_customer_id',
    'payment_reference',
    'database_url',
    'connectionString',
    'connection_string',
  ].map(normalised),
);

function normalised(key: string): string {
  return key.toLowerCase().replaceAll(/[-_]/g, '');
}

const secretValues: readonly RegExp[] = [
  // JSON web tokens, bare or after "Bearer"
  /eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  // private keys in PEM
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  // passwords inside URLs
  /(?<=\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)[^\s@/]+(?=@)/gi,
  // our own secrets carry a mark
  /\bgpuaas_(?:pat|sak|node|whsec)_[A-Za-z0-9]{8,}/g,
];

const maxDepth = 8;
const maxItems = 200;

export function redactText(text: string): string {
  let clean = text;
  for (const pattern of secretValues) clean = clean.replace(pattern, redacted);
  return clean;
}

/** A copy that is safe to show. Bounded: deep or endless structures are cut, never followed for ever. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[…]';
  if (value instanceof Date) return value;
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => redact(item, depth + 1));
  if (Buffer.isBuffer(value) || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, maxItems)
      .map(([key, item]) => [key, secretKeys.has(normalised(key)) ? redacted : redact(item, depth + 1)]),
  );
}

function redactError(error: Error, depth: number): object {
  return {
    type: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ''),
    ...('code' in error && { code: error.code }),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth + 1) }),
  };
}
