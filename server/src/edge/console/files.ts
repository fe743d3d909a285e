import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../../ports/identity-provider/port.ts';
import { formTarget } from '../oidc/layout.ts';

/**
 * The console as files. They are read once and kept, packed in the two ways that browsers ask for: a console is a few
 * hundred kilobytes, and a start that finds a torn build says so before anybody sees half of it. Nothing is looked up on
 * the disk by what somebody sent, so no path leads out of the folder.
 */
export interface ConsoleFiles {
  /** The one page. `leadsTo` is where signing out may lead, besides here. */
  page(leadsTo: string | undefined): Page;
  readonly files: ReadonlyMap<string, StaticFile>;
}
interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
  /** Whether its name changes with its content, so that nobody ever has to ask again. */
  readonly isForever: boolean;
}

/** Addresses that the page answers. What is not below one of them is no page: the API never answers with HTML. */
export const consolePlaces = [
  'launch',
  'allocations',
  'groups',
  'ssh-keys',
  'tokens',
  'service-accounts',
  'sessions',
  'team',
  'activity',
  'correlations',
  'invitations',
  'ops',
] as const;

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const packBrotli = promisify(brotliCompress);
const packGzip = promisify(gzip);
/** The best that can be had within a moment; the highest level takes seconds for a few more bytes. */
const brotliLevel = 9;

/** Undefined where no console has been built. */
export async function readConsoleFiles(folder: string): Promise<ConsoleFiles | undefined> {
  const index = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  if (index === undefined) return undefined;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, StaticFile>();
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined || entry.name === 'index.html') continue;
    const plain = await readFile(path);
    const name = `/${relative(folder, path).split(sep).join('/')}`;
    files.set(name, {
      type,
      plain,
      br: await packBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliLevel } }),
      gzip: await packGzip(plain),
      isForever: name.startsWith('/assets/'),
    });
  }
  return {
    files,
    page: (leadsTo) => ({
      html: index,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
          `form-action 'self'${formTarget(leadsTo)}; base-uri 'none'; frame-ancestors 'none'`,
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        // Not no-referrer: under that, a browser would not even tell us that a form comes from our own page.
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      },
    }),
  };
}

/** Whoever opens a place of the console gets the page; it sends those who are not signed in to sign in. */
export function mountConsoleFiles(
  app: FastifyInstance,
  { files, page }: ConsoleFiles,
  leadsTo: () => Promise<string | undefined>,
): void {
  const showPage = async (_request: FastifyRequest, reply: FastifyReply) => {
    const { html, headers } = page(await leadsTo());
    return reply.headers(headers).send(html);
  };
  for (const place of consolePlaces) {
    app.get(`/${place}`, showPage);
    app.get(`/${place}/*`, showPage);
  }
  for (const [name, file] of files) {
    app.get(name, async (request, reply) => {
      const accepts = request.headers['accept-encoding'] ?? '';
      const encoding = ['br', 'gzip'].find((each) => accepts.includes(each)) as 'br' | 'gzip' | undefined;
      const packed = encoding && file[encoding];
      return reply
        .headers({
          'content-type': file.type,
          'cache-control': file.isForever ? 'public, max-age=31536000, immutable' : 'no-cache',
          'x-content-type-options': 'nosniff',
          vary: 'accept-encoding',
          ...(packed && { 'content-encoding': encoding }),
        })
        .send(packed ?? file.plain);
    });
  }
}
