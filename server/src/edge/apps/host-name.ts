import type { IncomingMessage } from 'node:http';
import { routeLabel } from '@gpuaas/contract/ingress';

/** Where applications live: `<label>.<domain>`, below another registrable domain than the console. */
export interface AppsAddress {
  readonly isSecure: boolean;
  readonly domain: string;
  /** As browsers write it after the name, with its colon; empty for the usual port of the scheme. */
  readonly port: string;
}

export function readAppsUrl(url: string): AppsAddress {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  if ((protocol !== 'https:' && protocol !== 'http:') || pathname !== '/' || search !== '' || hostname.includes(':')) {
    throw new Error(`${url} is no address such as https://apps.example.net`);
  }
  return { isSecure: protocol === 'https:', domain: hostname, port: port === '' ? '' : `:${port}` };
}

export const originOf = ({ isSecure, domain, port }: AppsAddress, label: string): string =>
  `${isSecure ? 'https' : 'http'}://${label}.${domain}${port}`;

/**
 * The label of the host that was asked for; undefined for every other host. There must be exactly one Host header, and the target must be
 * a path: with an absolute target, two hosts or an odd encoding of the body, this proxy and what stands before it could
 * mean different requests.
 */
export function readLabel(
  request: Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'url'>,
  address: AppsAddress,
): string | undefined {
  if (!request.url?.startsWith('/')) return undefined;
  const encoding = request.headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return undefined;
  const hosts = request.rawHeaders.filter(
    (_, at) => at % 2 === 1 && request.rawHeaders[at - 1]?.toLowerCase() === 'host',
  );
  const [host = ''] = hosts;
  if (hosts.length !== 1) return undefined;
  const suffix = `.${address.domain}`;
  const name = host.toLowerCase().replace(/:\d{1,5}$/, '');
  if (!name.endsWith(suffix)) return undefined;
  const first = name.slice(0, -suffix.length);
  return routeLabel.test(first) ? first : undefined;
}
