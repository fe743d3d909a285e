import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Session } from '../../command.ts';

/** One GET through the route of an app: no redirect is followed, because where it leads is part of the answer. */
export interface RouteAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly cookies: readonly string[];
  readonly text: string;
}
export type CallRoute = (url: string, headers?: Readonly<Record<string, string>>) => Promise<RouteAnswer>;

const patienceMs = 30_000;
const mostBytes = 1_048_576;

export function routeCaller(session: Session): CallRoute {
  const given = session.around.parts?.fetch;
  if (!given) return callHere;
  return async (url, headers = {}) => {
    const response = await given(url, { headers, redirect: 'manual' });
    const { status } = response;
    const location = response.headers.get('location');
    return { status, location, cookies: response.headers.getSetCookie(), text: await response.text() };
  };
}

/** Every name below localhost is this machine. Browsers know that, and not every resolver does. */
const callHere: CallRoute = async (url, headers = {}) => {
  const to = new URL(url);
  const isHere = to.hostname === 'localhost' || to.hostname.endsWith('.localhost');
  const call = to.protocol === 'https:' ? tlsRequest : plainRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = call(
      {
        ...{
          host: isHere ? '127.0.0.1' : to.hostname,
          port: to.port,
          path: `${to.pathname}${to.search}`,
          agent: false,
        },
        ...{ headers: { host: to.host, ...headers }, servername: to.hostname },
        signal: AbortSignal.timeout(patienceMs),
      },
      resolve,
    );
    asked.on('error', reject);
    asked.end();
  });
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > mostBytes) break;
  }
  const { statusCode = 0, headers: given } = response;
  return { status: statusCode, location: given.location ?? null, cookies: given['set-cookie'] ?? [], text };
};
