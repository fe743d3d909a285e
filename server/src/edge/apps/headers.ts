import type { IncomingMessage } from 'node:http';

/** The names of the two cookies that this proxy sets at an application's own host. The application never sees them. */
export interface CookieNames {
  readonly session: string;
  readonly state: string;
}
/** Browsers accept a `__Host-` cookie only over TLS, from this host alone and for all paths. */
export const cookieNames = (isSecure: boolean): CookieNames => ({
  session: isSecure ? '__Host-gpuaas-app' : 'gpuaas-app',
  state: isSecure ? '__Host-gpuaas-app-state' : 'gpuaas-app-state',
});

/** Headers of one connection, which are not forwarded. */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'content-length'],
]);
/** Credentials of the caller stay here, and only this proxy writes the forwarding headers. */
const replaced =
  /^(?:authorization|cookie|forwarded|x-forwarded-.*|x-real-ip|x-gpuaas-.*|x-pomerium-.*|x-correlation-id|host)$/;

/** Names and values, as they came. A name that is there twice stays twice. */
export function* pairs(raw: readonly string[]): Generator<readonly [name: string, value: string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? ''];
}
function headersOfConnection(raw: readonly string[]): ReadonlySet<string> {
  const hopHeaders = [...pairs(raw)].filter(([name]) => name.toLowerCase() === 'connection');
  return new Set(hopHeaders.flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase())));
}

/** The headers that reach an application: a list of names and values. */
export function requestHeaders(
  request: Pick<IncomingMessage, 'rawHeaders'>,
  forwarded: {
    readonly host: string;
    readonly isSecure: boolean;
    readonly address: string;
    readonly correlationId: string;
    /** Of the browser family: an application may have cookies of its own there. */
    readonly keepsCookies: boolean;
    readonly cookies: CookieNames;
    /** The application responds without compression. */
    readonly isPlain: boolean;
  },
): string[] {
  const hopHeaders = headersOfConnection(request.rawHeaders);
  const kept: string[] = [];
  for (const [name, value] of pairs(request.rawHeaders)) {
    const lower = name.toLowerCase();
    if (lower === 'accept-encoding' && forwarded.isPlain) continue;
    if (lower === 'cookie' && forwarded.keepsCookies) {
      const rest = withoutProxyCookies(value, forwarded.cookies);
      if (rest !== '') kept.push(name, rest);
    } else if (!hopByHop.has(lower) && !replaced.test(lower) && !hopHeaders.has(lower)) kept.push(name, value);
  }
  kept.push(
    'Host',
    forwarded.host,
    'X-Forwarded-Host',
    forwarded.host,
    'X-Forwarded-Proto',
    forwarded.isSecure ? 'https' : 'http',
  );
  kept.push('X-Forwarded-For', forwarded.address, 'X-Correlation-Id', forwarded.correlationId);
  return kept;
}

/**
 * Headers that an application may not send: `Clear-Site-Data` would clear cookies of other applications on the same site, and the
 * correlation id is ours.
 */
const withheld = new Set(['clear-site-data', 'x-correlation-id']);

/** The headers that reach the caller. A cookie of an application is for its own host and has no name of a cookie of ours. */
export function responseHeaders(
  response: Pick<IncomingMessage, 'rawHeaders'>,
  cookies: CookieNames,
  correlationId: string,
): string[] {
  const hopHeaders = headersOfConnection(response.rawHeaders);
  const kept: string[] = [];
  for (const [name, value] of pairs(response.rawHeaders)) {
    const lower = name.toLowerCase();
    if (lower === 'set-cookie') {
      const own = withoutDomain(value, cookies);
      if (own !== undefined) kept.push(name, own);
    } else if (lower === 'content-length' || (!hopByHop.has(lower) && !hopHeaders.has(lower) && !withheld.has(lower))) {
      kept.push(name, value);
    }
  }
  kept.push('X-Correlation-Id', correlationId);
  return kept;
}

const withoutProxyCookies = (cookie: string, { session, state }: CookieNames): string =>
  cookie
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '' && ![session, state].includes(one.split('=', 1)[0]?.trim() ?? ''))
    .join('; ');

/** Without `Domain`: a cookie for all names below the domain would reach the applications of other tenants. */
function withoutDomain(value: string, { session, state }: CookieNames): string | undefined {
  const [first = '', ...attributes] = value.split(';');
  if ([session, state].includes(first.split('=', 1)[0]?.trim() ?? '')) return undefined;
  return [first, ...attributes.filter((one) => !/^\s*domain\s*(?:=|$)/i.test(one))].join(';');
}

/** Whether Node would write them. It throws for names and values that it would not. */
export const areWritable = (headers: readonly string[]): boolean =>
  [...pairs(headers)].every(
    ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  );

/** The value of one cookie. A name that comes twice counts as missing: the two could have different owners. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const found = (header ?? '')
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${name}=`));
  return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
}
