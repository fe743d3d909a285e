import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormAnswer, Marks } from '../../ports/identity-provider/port.ts';

/**
 * A form is answered with a redirect (303), and the page that follows says what came of it. Otherwise the browser's Back
 * button would lead to the answer of a form, which browsers refuse to show without sending the form again
 * (ERR_CACHE_MISS). What the page has to say travels in a signed cookie that is read once.
 */
export interface Outcome {
  readonly status?: number;
  readonly problem?: string;
  readonly waitMs?: number;
  /** The login that was typed or that got a new password. */
  readonly login?: string;
  readonly page?: FormAnswer;
}

export interface AfterForm {
  /** The header that makes the page at `path` say this, for answers that others write. */
  cookie(path: string, outcome: Outcome): string;
  /** Sends the browser from its form to a page of ours. */
  go(reply: FastifyReply, path: string, outcome?: Outcome): FastifyReply;
  /** What came of the form that led to this page, once. */
  take(request: FastifyRequest, reply: FastifyReply): Outcome | undefined;
}

/** As long as a redirect may take on a slow line. */
const lifeSeconds = 120;

export function makeAfterForm({ marks, issuer }: { readonly marks: Marks; readonly issuer: URL }): AfterForm {
  const isSecure = issuer.protocol === 'https:';
  // Over https no other host of the domain can set it. Without https a browser does not take that prefix.
  const name = `${isSecure ? '__Host-' : ''}gpuaas_sso_outcome`;
  const attributes = `${isSecure ? 'Path=/; Secure' : `Path=${issuer.pathname}`}; HttpOnly; SameSite=Lax`;
  const signed = (body: string) => marks.sign(`outcome.${body}`);
  const cookie: AfterForm['cookie'] = (path, outcome) => {
    const body = Buffer.from(JSON.stringify([path, outcome])).toString('base64url');
    return `${name}=${body}.${signed(body)}; ${attributes}; Max-Age=${lifeSeconds}`;
  };
  function read(header: string | undefined): readonly [path: string, outcome: Outcome] | undefined {
    for (const pair of header?.split(';') ?? []) {
      const [key, value = ''] = pair.trim().split('=', 2);
      const [body = '', signature = ''] = key === name ? value.split('.', 2) : [];
      if (body && marks.isOurs(`outcome.${body}`, signature)) {
        return JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, Outcome];
      }
    }
    return undefined;
  }
  return {
    cookie,
    go(reply, path, outcome) {
      const [address = path] = path.split('?', 1);
      return (outcome ? reply.header('set-cookie', cookie(address, outcome)) : reply)
        .header('cache-control', 'no-store')
        .redirect(path, 303);
    },
    take(request, reply) {
      const [path, outcome] = read(request.headers.cookie) ?? [];
      if (path !== request.url.split('?', 1)[0]) return undefined;
      reply.header('set-cookie', `${name}=; ${attributes}; Max-Age=0`);
      return outcome;
    },
  };
}
