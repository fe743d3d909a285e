import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Page } from '../../ports/identity-provider/port.ts';
import { free } from '../gate/pass.ts';

const description = join(import.meta.dirname, '../../../../api/openapi.json');

/** What a browser sees at the address of the api, and the API description. */
export async function mountFrontPage(
  app: FastifyInstance,
  about: {
    readonly product: string;
    readonly version: string;
    /** Whether the console has pages of its own, so that nothing has to be said in their place. */
    readonly hasConsole?: boolean;
    /** What a browser is shown; programs get the text. */
    readonly home?: (cookie: string | undefined) => Promise<Page>;
  },
): Promise<void> {
  const page = `${about.product} ${about.version}

A control plane that rents GPU capacity. This is its API.

  /docs             how to use it, with a page for every operation
  /openapi.json     what there is to call, as OpenAPI 3.1
  /api/v1/version   which release answers
  /healthz          whether it runs
  /readyz           whether it can do its work
  /api/v1/sign-in   where to get a token

Every other call carries a token: Authorization: Bearer <token>
Calls that change something also carry a key of yours, so that they may be repeated: Idempotency-Key: <uuid>
`;
  // The token is after the #, which browsers do not send: this page can only explain what to do.
  const invited = `${about.product}: you are invited

Your invitation is the part of this page's address behind the sign #. Accept it with a token of yours:

  POST /api/v1/invitations/accept   {"token": "<your invitation>"}
`;
  if (!about.hasConsole) {
    app.get('/invitations/accept', free, async (_, reply) => reply.type('text/plain; charset=utf-8').send(invited));
  }
  app.get('/', async (request, reply) => {
    if (about.home && (request.headers.accept ?? '').includes('text/html')) {
      const { html, headers } = await about.home(request.headers.cookie);
      return reply.headers(headers).send(html);
    }
    return reply.type('text/plain; charset=utf-8').send(page);
  });

  const contract = await readFile(description, 'utf8');
  const etag = `"${hash('sha256', contract, 'base64url').slice(0, 22)}"`;
  app.get('/openapi.json', free, async (request, reply) => {
    reply.header('etag', etag).header('cache-control', 'no-cache');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(contract);
  });
}
