import { lookup as resolve } from 'node:dns/promises';
import { type ClientRequest, Agent as HttpAgent, request as requestPlain } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Adapted } from '../adapter.ts';
import { isReachable, type Networks, readNetworks } from './addresses.ts';
import type { Post, Posted, Webhooks } from './port.ts';

export interface GuardedConfig {
  /** Networks that are not public and may be reached all the same, as `10.1.0.0/16,fd00::/8`. */
  readonly allowedNetworks?: string | undefined;
  /** Whether http is allowed as well. */
  readonly allowsHttp?: boolean;
  /** A certificate authority to trust besides those that Node knows. */
  readonly ca?: string;
}
type Resolve = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

/** As much of an answer as is read before the connection is cut: only its status counts. */
const answerBytes = 64 * 1_024;
const mostAddresses = 16;
const away = 'The receiver could not be reached.';
// One sentence for both: a tenant does not learn which names exist inside.
const noAddress = 'The name of the receiver has no public address, or could not be resolved.';
const notPublic = 'The address is not public. Webhooks are posted to public addresses only.';

/**
 * Posts over connections of its own: none is kept, so no post ever travels over a connection that was opened for another name.
 * The name is resolved here, once, and the connection is made to the addresses that were judged; a name that changes its mind
 * between the two questions gains nothing.
 */
export function openGuardedWebhooks(
  config: GuardedConfig,
  parts: { readonly resolve?: Resolve } = {},
): Webhooks & Adapted {
  const networks: Networks = readNetworks(config.allowedNetworks);
  const ask: Resolve = parts.resolve ?? ((name) => resolve(name, { all: true, order: 'verbatim' }));
  const running = new Set<ClientRequest>();
  let closed = false;

  function objection(text: string): string | undefined {
    if (!URL.canParse(text)) return 'This is not an address.';
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && config.allowsHttp))
      return 'Only https addresses are used.';
    if (url.username !== '' || url.password !== '') return 'The address must not carry a name or a password.';
    if (url.hash !== '') return 'The address must not have a part behind #.';
    const host = hostOf(url);
    if (isIP(host) !== 0) return isReachable(host, networks) ? undefined : notPublic;
    const isLocalName =
      /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)$/i.test(host) || !host.includes('.');
    return isLocalName && !(networks.length > 0 && config.allowsHttp) ? notPublic : undefined;
  }

  /** Every address of the name, if it has some and all of them are allowed. */
  async function addressesOf(host: string): Promise<Awaited<ReturnType<Resolve>> | undefined> {
    const family = isIP(host);
    const found = family === 0 ? await ask(host).catch(() => []) : [{ address: host, family }];
    const isUsable = found.length > 0 && found.length <= mostAddresses;
    return isUsable && found.every(({ address }) => isReachable(address, networks)) ? found : undefined;
  }

  async function send(message: Post, signal: AbortSignal): Promise<Posted> {
    const url = new URL(message.url);
    const addresses = await addressesOf(hostOf(url));
    if (!addresses) return { refused: noAddress };
    const lookup: LookupFunction = (_name, options, done) => {
      const [first] = addresses;
      if (options.all) done(null, [...addresses]);
      else if (first) done(null, first.address, first.family);
    };
    const isTls = url.protocol === 'https:';
    const headers = { ...message.headers, 'content-length': String(Buffer.byteLength(message.body)) };
    const options = { method: 'POST', headers, lookup, signal, maxHeaderSize: 16 * 1_024 };
    return new Promise((answer, fail) => {
      const call = isTls
        ? requestTls(url, {
            ...options,
            agent: new HttpsAgent({ keepAlive: false }),
            ...(config.ca && { ca: config.ca }),
          })
        : requestPlain(url, { ...options, agent: new HttpAgent({ keepAlive: false }) });
      running.add(call);
      call.on('close', () => running.delete(call));
      call.on('error', fail);
      call.on('response', (reply) => {
        let bytes = 0;
        const done = () => {
          answer({ status: reply.statusCode ?? 0 });
          call.destroy();
        };
        reply.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > answerBytes) done();
        });
        reply.on('end', done);
        reply.on('error', done);
      });
      call.end(message.body);
    });
  }

  return {
    // What may reach this machine over http is no guard, whatever it is called.
    adapter: config.allowsHttp ? { name: 'local', kind: 'embedded' } : { name: 'guarded', kind: 'production' },
    objection,
    async post(message) {
      if (closed) throw new Error('the webhooks are closed');
      const refused = objection(message.url);
      if (refused !== undefined) return { refused };
      const deadline = AbortSignal.timeout(message.timeoutMs);
      const late = new Promise<Posted>((resolveLate) =>
        deadline.addEventListener('abort', () => resolveLate({ failed: 'The receiver did not answer in time.' }), {
          once: true,
        }),
      );
      return Promise.race([late, send(message, deadline).catch((): Posted => ({ failed: away }))]);
    },
    async check() {
      if (closed) throw new Error('the webhooks are closed');
    },
    async close() {
      closed = true;
      for (const call of running) call.destroy();
    },
  };
}

/** The host without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');
