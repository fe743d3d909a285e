import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { free } from '../gate/pass.ts';
import { readStaticFiles, type StaticFile, sendFile } from '../http/static-files.ts';

/** The policy of a docs page: our own script and style only. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/**
 * Serves the built docs at /docs, to everybody, each page after `dress` put the brand of the installation into it. False
 * where none were built.
 */
export async function mountDocs(
  app: FastifyInstance,
  folder: string,
  dress?: (page: string) => string,
): Promise<boolean> {
  const files = await readStaticFiles(folder, dress).catch(() => new Map<string, StaticFile>());
  const [home, lost] = [files.get('/index.html'), files.get('/404.html')];
  if (!home || !lost) return false;
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const [address = ''] = request.url.split('?', 1);
    const name = address.slice('/docs'.length).replace(/\/+$/, '');
    // One page has one address; what a person typed with a slash too many finds it too.
    if (address.endsWith('/')) return reply.redirect(`/docs${name}`, 308);
    const page = name === '' ? home : files.get(`${name}.html`);
    if (page) return sendFile(request, reply, page, pageHeaders);
    const file = name.endsWith('.html') ? undefined : files.get(name === '.md' ? '/index.md' : name);
    return file ? sendFile(request, reply, file) : sendFile(request, reply.code(404), lost, pageHeaders);
  };
  app.get('/docs', free, show);
  app.get('/docs.md', free, show);
  app.get('/docs/*', free, show);
  return true;
}
