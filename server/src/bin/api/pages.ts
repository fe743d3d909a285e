import { type Brand, mountBrand } from '../../edge/console/branding.ts';
import { makeDress } from '../../edge/console/dress.ts';
import { readConsoleFiles } from '../../edge/console/files.ts';
import { closedPage } from '../../edge/console/pages.ts';
import { mountDocs } from '../../edge/docs/mount.ts';
import { free } from '../../edge/gate/pass.ts';
import { mountFrontPage } from '../../edge/http/front-page.ts';
import { makeSend } from '../../edge/oidc/layout.ts';
import type { Common } from '../../kernel/process/process.ts';
import { makeShared, readiness } from '../../kernel/telemetry/health.ts';
import type { Ports } from '../../ports/open.ts';
import { product, release } from '../release.ts';
import type { assembleApi } from './assemble.ts';

type Whole = Pick<Awaited<ReturnType<typeof assembleApi>>, 'app' | 'console'>;

/** What browsers find beside the API: console, docs, front page and branding; and what load balancers ask for. */
export async function mountPages(
  parts: Pick<Ports, 'database' | 'storage'> & Pick<Common<unknown>, 'clock' | 'log' | 'scope'>,
  { app, console }: Whole,
  settings: {
    readonly brand: Brand;
    readonly layOut: Parameters<typeof makeSend>[0];
    readonly consoleFolder?: string | undefined;
    readonly docsFolder?: string | undefined;
    /** Where the console opens terminals. */
    readonly terminalUrl?: string | undefined;
  },
): Promise<void> {
  const { brand, layOut, consoleFolder, docsFolder, terminalUrl } = settings;
  if (!console) app.get('/auth/login', (_, reply) => makeSend(layOut)(reply, 503, closedPage));
  let hasConsole = false;
  if (console && consoleFolder) {
    const files = await readConsoleFiles(consoleFolder, brand.branding, [
      ...(terminalUrl ? [terminalUrl] : []),
      ...(parts.storage.direct ? [parts.storage.direct.origin] : []),
    ]);
    hasConsole = files !== undefined;
    if (files) console.open(files);
    else parts.log.warn({ folder: consoleFolder }, 'there is no built console: browsers find the API alone');
  }
  if (docsFolder && !(await mountDocs(app, docsFolder, makeDress(brand.branding)))) {
    parts.log.warn({ folder: docsFolder }, 'there are no built docs: nothing is served at /docs');
  }
  await mountFrontPage(app, { product, version: release, hasConsole, ...(console && { home: console.home }) });
  mountBrand(app, brand);
  // Load balancers ask on the port that they send traffic to.
  app.get('/healthz', free, async () => ({ alive: true }));
  const ready = makeShared({
    clock: parts.clock,
    ask: () => readiness([{ name: 'database', check: parts.database.check }], parts.scope.stopping),
  });
  app.get('/readyz', free, async (_, reply) => {
    const state = await ready();
    // This port is public: it hears whether, not why. The health port of the process says more.
    return reply.code(state.ready ? 200 : 503).send({ ready: state.ready });
  });
}
