import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { type ErrorCode, errors, meGet, projectList, type Route, routes } from '@gpuaas/contract';
import type { Static } from 'typebox';
import { answerOf, findRoute, pageOf } from './answers.ts';

/** What a test says about one operation. Everything else is answered from the schema of the operation. */
type Told =
  | { readonly kind: 'answer'; readonly body: unknown }
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'silence'; readonly until: Promise<void> };
export interface Called {
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly project: string | undefined;
  readonly body: unknown;
}
/** The console as it is built, in front of an API that is made of the contract. There is no server and no database behind it. */
export interface MockApi {
  readonly base: string;
  /** Every request that changes something, in order. */
  readonly writes: readonly Called[];
  /** Requests that fit no operation of the contract. */
  readonly strays: readonly string[];
  answer<R extends Route>(route: R, told: Partial<Static<R['response']>>): void;
  /** Refuses with a code of the contract. */
  refuse(route: Route, code: ErrorCode, message: string): void;
  /** Does not answer until the returned function is called. */
  hold(route: Route): () => void;
  /** Forgets what was told; the person may do everything again. */
  reset(): void;
  /** The signed-in person may not do these. */
  forbid(...routes: readonly Route[]): void;
  close(): Promise<void>;
}

/** The one project that the signed-in person has. */
export const mockSession = {
  project: answerOf(projectList.response.properties.data.items, { name: 'Research' }),
};

const kinds: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export async function openMockApi(dist: string): Promise<MockApi> {
  const told = new Map<string, Told>();
  const [writes, strays]: [Called[], string[]] = [[], []];
  const answerMe = (forbidden: readonly string[] = []) => {
    const operations = routes.map(({ id }) => id).filter((id) => !forbidden.includes(id));
    const permissions = [answerOf(meGet.response.properties.permissions.items, { role: 'self', operations } as never)];
    const organizations = [answerOf(meGet.response.properties.organizations.items)];
    told.set(meGet.id, { kind: 'answer', body: answerOf(meGet.response, { organizations, permissions }) });
    const { project } = mockSession;
    told.set(projectList.id, { kind: 'answer', body: answerOf(projectList.response, pageOf(project)) });
  };
  const reset = () => {
    told.clear();
    writes.length = 0;
    answerMe();
  };
  reset();

  const answerApi = async (request: IncomingMessage, response: ServerResponse, path: string) => {
    const found = findRoute(request.method ?? '', path);
    if (!found) {
      strays.push(`${request.method} ${path}`);
      return refuse(response, 'route_not_found', 'There is no such path.');
    }
    const { route, params } = found;
    if (route.method !== 'GET') {
      const project = request.headers['x-project-id'] as string | undefined;
      writes.push({ id: route.id, params, project, body: JSON.parse((await readAll(request)) || 'null') });
    }
    if (route.method === 'GET' && route.stream) {
      // A stream that says nothing: the page is live, and nothing happens.
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write(': open\n\n');
    }
    const said = told.get(route.id);
    if (said?.kind === 'silence') await said.until;
    if (said?.kind === 'refusal') return refuse(response, said.code, said.message);
    const body = said?.kind === 'answer' ? said.body : answerOf(route.response);
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(body));
  };
  const answerFile = async (response: ServerResponse, path: string) => {
    const isFile = extname(path) !== '' && !path.includes('..');
    const file = await readFile(join(dist, isFile ? path : 'index.html'));
    response.writeHead(200, { 'content-type': isFile ? (kinds[extname(path)] ?? 'text/plain') : 'text/html' });
    response.end(file);
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const done = pathname.startsWith('/api/') ? answerApi(request, response, pathname) : answerFile(response, pathname);
    done.catch((error: unknown) => {
      strays.push(`${request.method} ${pathname}: ${String(error)}`);
      refuse(response, 'internal_error', 'The mock failed.');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    strays,
    answer: (route, body) => void told.set(route.id, { kind: 'answer', body: answerOf(route.response, body) }),
    refuse: (route, code, message) => void told.set(route.id, { kind: 'refusal', code, message }),
    hold(route) {
      const { promise, resolve } = Promise.withResolvers<void>();
      told.set(route.id, { kind: 'silence', until: promise });
      return () => {
        told.delete(route.id);
        resolve();
      };
    },
    reset,
    forbid: (...forbidden) => answerMe(forbidden.map(({ id }) => id)),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function refuse(response: ServerResponse, code: ErrorCode, message: string): void {
  const { status } = errors[code];
  response.writeHead(status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify({ code, message, status, correlation_id: 'mock-correlation' }));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
