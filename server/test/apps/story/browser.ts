import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';

/** What a browser does with an address of an app. Every name below localhost is this machine; not every resolver knows. */
export interface Page {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export function openPage(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Promise<Page> {
  const { host, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...{ host: '127.0.0.1', port, path: `${pathname}${search}`, method: options.method ?? 'GET', agent: false },
        headers: { host, ...options.headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(options.body);
  });
}
export const cookieOf = ({ headers }: Page, name: string): string =>
  (headers['set-cookie'] ?? []).find((one) => one.startsWith(`${name}=`))?.split(';', 1)[0] ?? '';

/** `fetch` for clients of an API below localhost. */
export const fetchHere: typeof fetch = async (input, init) => {
  const asked = new Request(input, init);
  const { host, port, pathname, search } = new URL(asked.url);
  const body = Buffer.from(await asked.arrayBuffer());
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = request(
      {
        ...{ host: '127.0.0.1', port, path: `${pathname}${search}`, method: asked.method, agent: false },
        headers: { ...Object.fromEntries(asked.headers), host },
      },
      resolve,
    );
    call.on('error', reject);
    call.end(body.length > 0 ? body : undefined);
  });
  const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Response(Readable.toWeb(response) as ReadableStream, { status: response.statusCode ?? 0, headers });
};
