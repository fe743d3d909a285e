import type { FastifyRequest } from 'fastify';

export const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** The credential of a request: a header, or the cookie of a browser. */
export const credentialOf = (
  request: FastifyRequest,
  sessionOf: ((cookie: string | undefined) => string | undefined) | undefined,
): string | undefined => header(request, 'authorization') ?? sessionOf?.(header(request, 'cookie'));

/** Programs are never answered with a page, and nothing below /api is one. */
export const isOfPerson = ({ method, headers, url }: FastifyRequest): boolean =>
  method === 'GET' && (headers.accept ?? '').includes('text/html') && !/^\/(?:api|internal)(?:[/?]|$)/.test(url);
