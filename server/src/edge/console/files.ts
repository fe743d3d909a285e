import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Branding } from '@gpuaas/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../../kernel/html.ts';
import type { Page } from '../../ports/identity-provider/port.ts';
import { free } from '../gate/pass.ts';
import { readStaticFiles, type StaticFile, sendFile } from '../http/static-files.ts';
import { formTarget } from '../oidc/layout.ts';
import { makeDress } from './dress.ts';

/** The console as files: one page, and what it loads. */
export interface ConsoleFiles {
  /** The one page. `leadsTo` is where signing out may lead, besides here. */
  page(leadsTo: string | undefined): Page;
  readonly files: ReadonlyMap<string, StaticFile>;
}

/** Addresses that the page answers. What is not below one of them is no page: the API never answers with HTML. */
export const consolePlaces = [
  'launch',
  'allocations',
  'groups',
  'apps',
  'app-instances',
  'storage',
  'ssh-keys',
  'tokens',
  'webhooks',
  'billing',
  'ledger',
  'service-accounts',
  'recordings',
  'usage',
  'notification-settings',
  'notifications',
  'sessions',
  'projects',
  'team',
  'security',
  'activity',
  'correlations',
  'invitations',
  'identity-confirmed',
  'ops',
] as const;

/**
 * The terminal library writes one style element for its scrollbar: first empty, then with the colours of our theme. Both texts
 * are constant and allowed by their digests; every other inline style stays refused. A browser test fails when they change.
 */
const scrollbarStyles =
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-MEwGvrAUNTSGYJOcFwTLbuJgKG7Mu/5JjeuwmG5IJyY='";

/** Undefined where no console has been built. */
export async function readConsoleFiles(
  folder: string,
  brand: Branding,
  /** Other origins that the page's script may connect to, such as the terminal gateways. */
  connects: readonly string[] = [],
): Promise<ConsoleFiles | undefined> {
  const built = await readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);
  if (built === undefined) return undefined;
  // The page contains the branding, so that its script need not ask for it.
  const known = `<meta name="brand" content="${escapeHtml(JSON.stringify(brand))}">`;
  const index = makeDress(brand)(built).replace('</head>', () => `${known}\n</head>`);
  const files = await readStaticFiles(folder);
  // The page is answered at its places, with what belongs to a page.
  files.delete('/index.html');
  return {
    files,
    page: (leadsTo) => ({
      html: index,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          `default-src 'none'; script-src 'self'; style-src 'self' ${scrollbarStyles}; img-src 'self'; connect-src ${["'self'", ...connects].join(' ')}; ` +
          `form-action 'self'${formTarget(leadsTo)}; base-uri 'none'; frame-ancestors 'none'`,
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        // Not no-referrer: with it, a browser would send no Origin for a form of our own page.
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      },
    }),
  };
}

/** Every console address serves the page; the page sends visitors without a session to the sign-in. */
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
  for (const [name, file] of files) app.get(name, free, (request, reply) => sendFile(request, reply, file));
}
