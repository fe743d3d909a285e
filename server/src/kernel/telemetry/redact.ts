/**
 * Secrets do not reach a log, an error body or an audit row. Two nets: keys that name a secret, and values that look
 * like one wherever they stand, in plain text or behind base64 or percent signs. What is removed leaves
 * `[REDACTED]` behind, so that a reader knows something was there.
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
    'api_key',
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
  /\b(?:Bearer|Basic)[\s+]+[A-Za-z0-9._~+/=-]{8,}/gi,
  // private keys in PEM
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  // passwords inside URLs
  /(?<=\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)[^\s@/]+(?=@)/gi,
  // cookies that were copied together with their header
  /\b(?:Set-)?Cookie:\s*[^\r\n]+/gi,
  // our own secrets carry a mark
  /gpuaas_(?:pat|sak|node|whsec|invite|storage)_[A-Za-z0-9]{8,}/g,
];

const maxDepth = 8;
const maxItems = 200;
const maxNodes = 5_000;
/** Longer text is cut before it is searched, to bound the cost. */
const maxText = 16_384;

const inBase64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const word = /[^\s"'<>{}]+/g;

export function redactText(text: string): string {
  const short = text.length > maxText ? `${text.slice(0, maxText)}… (${text.length - maxText} more characters)` : text;
  const clean = plain(short);
  const unescaped = clean.includes('%') ? clean.replace(word, (run) => (hidesInPercents(run) ? redacted : run)) : clean;
  return unescaped.replace(inBase64, (run) => (hidesInBase64(run) ? redacted : run));
}

function plain(text: string): string {
  let clean = text;
  for (const pattern of secretValues) clean = clean.replace(pattern, redacted);
  return clean;
}

const hides = (decoded: string): boolean => plain(decoded) !== decoded;

/** Proxies and forms escape what is escaped already, and write a blank as a plus sign. */
function hidesInPercents(run: string): boolean {
  let decoded = run;
  for (let layer = 0; layer < 3 && decoded.includes('%'); layer += 1) {
    decoded = decoded
      .replaceAll('+', ' ')
      .replaceAll(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
    if (hides(decoded)) return true;
  }
  return false;
}

/** A slash may belong to the alphabet, or separate a path whose last part is the secret. */
const hidesInBase64 = (run: string): boolean =>
  [run, ...(run.includes('/') ? run.split('/') : [])].some((part) =>
    hides(Buffer.from(part, 'base64').toString('latin1')),
  );

/** A copy that is safe to show. Bounded: deep, wide or endless structures are cut, never followed for ever. */
export function redact(value: unknown): unknown {
  return walk(value, 0, { left: maxNodes });
}

interface Budget {
  left: number;
}
const cut = '[…]';

function walk(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth || --budget.left < 0) return cut;
  if (value instanceof Date) return value;
  if (value instanceof URL) return redactText(value.href);
  if (value instanceof Error) return walkError(value, depth, budget);
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => walk(item, depth + 1, budget));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return walk(Object.fromEntries(value), depth, budget);
  if (value instanceof Set) return walk([...value], depth, budget);
  const clean: [string, unknown][] = [];
  for (const key of Object.keys(value).slice(0, maxItems)) {
    // Names come from callers too.
    const shown = redactText(key);
    clean.push([shown, secretKeys.has(normalised(key)) ? redacted : walk(read(value, key), depth + 1, budget)]);
  }
  return Object.fromEntries(clean);
}

/** A getter that throws must not turn a log line into a failure. */
function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return cut;
  }
}

function walkError(error: Error, depth: number, budget: Budget): object {
  return {
    type: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ''),
    ...('code' in error && { code: walk(error.code, depth + 1, budget) }),
    ...(error instanceof AggregateError && { errors: walk(error.errors, depth + 1, budget) }),
    ...(error.cause !== undefined && { cause: walk(error.cause, depth + 1, budget) }),
  };
}
