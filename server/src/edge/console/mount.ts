import type { FastifyInstance } from 'fastify';
import { Fault } from '../../kernel/fault.ts';
import type { Page } from '../../ports/identity-provider/port.ts';
import type { BrowserRequest } from '../http/admission/admission.ts';
import type { Jar } from './cookie.ts';
import { type ConsoleFiles, mountConsoleFiles } from './files.ts';
import { type LoginParts, mountLogin } from './login.ts';
import { isFromOurPage } from './origin.ts';
import { homePage } from './pages.ts';
import type { BrowserSessions } from './sessions.ts';

/** Turns the cookie of a browser into the token behind it. A write must come from a page of ours. */
export const makeBrowserAdmission =
  (parts: { readonly publicUrl: string; readonly jar: Jar; readonly browsers: Pick<BrowserSessions, 'open'> }) =>
  async ({ cookie, isWrite, origin, site }: BrowserRequest): Promise<string | Fault | undefined> => {
    const shown = parts.jar.session.read(cookie);
    if (!shown) return undefined;
    if (isWrite && !isFromOurPage(parts.publicUrl, { origin, 'sec-fetch-site': site })) {
      return new Fault(
        'origin_refused',
        'This request carries a cookie but comes from another site: nothing was done.',
      );
    }
    const opened = await parts.browsers.open(shown);
    return opened instanceof Fault ? opened : `Bearer ${opened.tokens.accessToken}`;
  };

export interface ConsoleDoor {
  /** What a browser sees at the root: the console, or a short page where none was built. */
  home(cookie: string | undefined): Promise<Page>;
  /** Shows the console that was built. */
  open(files: ConsoleFiles): void;
}

/** The console's own paths, and what a browser finds at the front door. */
export async function mountConsole(
  app: FastifyInstance,
  parts: LoginParts & { readonly product: string; readonly version: string },
): Promise<ConsoleDoor> {
  await mountLogin(app, parts);
  let built: ConsoleFiles | undefined;
  const leadsTo = async () => (await parts.client.endpoints()).logout;
  return {
    open(files) {
      mountConsoleFiles(app, files, leadsTo);
      built = files;
    },
    async home(cookie) {
      const { product, version, layOut } = parts;
      const shown = parts.jar.session.read(cookie);
      const opened = shown ? await parts.browsers.open(shown) : undefined;
      if (!opened || opened instanceof Fault)
        return layOut(homePage({ product, version, name: undefined, leadsTo: undefined }));
      if (built) return built.page(await leadsTo());
      return layOut(
        homePage({ product, version, name: opened.tokens.name ?? 'a person without a name', leadsTo: await leadsTo() }),
      );
    },
  };
}
