import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { MaasAway } from './port.ts';

/** A list of a thousand machines, each with its disks and interfaces, is some tens of megabytes. */
const answerBytes = 64 * 1_024 * 1_024;

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly ca?: string | undefined;
  readonly signal: AbortSignal;
}
export interface Exchanged {
  readonly status: number;
  readonly text: string;
}

/** One request over a connection of its own. Redirects are not followed: the key goes to the address that was given. */
export function exchange({ method, url, headers, body, ca, signal }: Exchange): Promise<Exchanged> {
  const isTls = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const lost = (error: Error) =>
      reject(
        new MaasAway(signal.aborted ? 'MAAS did not answer in time' : `MAAS cannot be reached (${codeOf(error)})`),
      );
    const options = { method, headers, signal, agent: false };
    const call = isTls ? requestTls(url, { ...options, ...(ca && { ca }) }) : requestPlain(url, options);
    call.on('error', lost);
    call.on('response', (reply) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      reply.on('error', lost);
      reply.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > answerBytes) call.destroy(new MaasAway('too large'));
        else chunks.push(chunk);
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
    });
    call.end(body);
  });
}

/** What a person may read of it: the code of the system, or the first words. */
const codeOf = (error: Error): string => (error as { code?: string }).code ?? error.message.slice(0, 100);
