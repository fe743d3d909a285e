import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { RegistryAway } from './port.ts';

export interface Exchange {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly mostBytes: number;
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
}
export interface Exchanged {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}
const mostHeaderBytes = 32 * 1_024;

/** One request over a connection of its own, read up to a bound. Redirects are answers like others. */
export function exchange({ url, headers, mostBytes, ca, signal }: Exchange): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const lost = (error: Error) => {
      const why = signal.aborted ? 'did not answer in time' : `cannot be reached (${codeOf(error)})`;
      reject(error instanceof RegistryAway ? error : new RegistryAway(`${url.host} ${why}`));
    };
    const options = { method: 'GET', headers, signal, agent: false, maxHeaderSize: mostHeaderBytes };
    const call =
      url.protocol === 'https:' ? requestTls(url, { ...options, ...(ca && { ca }) }) : requestPlain(url, options);
    call.on('error', lost);
    call.on('response', (reply) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      reply.on('error', lost);
      reply.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostBytes) call.destroy(new RegistryAway(`${url.host} answered more than ${mostBytes} bytes`));
        else chunks.push(chunk);
      });
      reply.on('end', () => {
        const said = Object.entries(reply.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value[0] : value,
        ]);
        resolve({ status: reply.statusCode ?? 0, headers: Object.fromEntries(said), body: Buffer.concat(chunks) });
      });
      reply.on('close', () => {
        if (!reply.complete) lost(new Error('it ended early'));
      });
    });
    call.end();
  });
}
const longestWhy = 100;
const codeOf = (error: Error): string => (error as { code?: string }).code ?? error.message.slice(0, longestWhy);
