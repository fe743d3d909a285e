import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Cache } from '../../ports/cache/port.ts';
import {
  type Answer,
  type EmbeddedIssuer,
  type FormAnswer,
  type IssuerPages,
  pageOf,
  type Question,
  type SeeOther,
  TooBusy,
} from '../../ports/identity-provider/port.ts';
import { callerAddress } from '../gate/caller-address.ts';
import { isOutage } from '../http/failures.ts';
import { type AfterForm, makeAfterForm } from './after-form.ts';
import { type AttemptLimits, type Attempts, makeAttempts } from './attempts.ts';
import { type KnownBrowsers, makeKnownBrowsers } from './known-browser.ts';
import { type LayOut, makeSend, type Send } from './layout.ts';
import { consentPage, failedPage, loginPage, makeIssuerPages, notePage } from './pages.ts';
import { linkUrl, mountPasswordRoutes } from './password-routes.ts';
import { type FactorChange, makeSecondStep } from './second-step-routes.ts';

/**
 * The embedded issuer under its path on a server that has other things to do as well. Two kinds of requests arrive:
 * those of the protocol, whose bodies are left untouched for the issuer to read, and the forms of our own pages.
 */
const maxFormBytes = 16 * 1024;
const maxLoginLength = 128;
const wrongPassword = 'Login or password is wrong. Check both and try again.';

export interface OidcMountParts {
  readonly issuer: EmbeddedIssuer;
  readonly cache: Pick<Cache, 'hit'>;
  readonly layOut: LayOut;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: { error(details: object, message: string): void };
  readonly attempts?: AttemptLimits;
  /** Sends a password link to an address, if it may have one; left out where no emails are sent. */
  readonly sendPasswordLink?: ((address: string) => Promise<void>) | undefined;
  /** Ends what was signed in with the old password; left out where no API stands behind the issuer. */
  readonly passwordChanged?: ((accountId: string) => Promise<void>) | undefined;
  /** Records a change of second factors, and notifies the person by email. */
  readonly factorChanged?: ((accountId: string, change: FactorChange) => Promise<void>) | undefined;
}

export async function mountOidc(app: FastifyInstance, parts: OidcMountParts): Promise<void> {
  const { issuer } = parts;
  const publicUrl = new URL(issuer.issuer);
  const send = makeSend(parts.layOut);
  const { clock, ids } = parts;
  const browsers = makeKnownBrowsers({ marks: issuer.marks, issuer: publicUrl, clock, ids });
  const afterForm = makeAfterForm({ marks: issuer.marks, issuer: publicUrl });
  const pages = makeIssuerPages(parts.layOut);
  const behind = {
    afterForm,
    pages,
    issuer,
    attempts: makeAttempts(parts.cache, parts.attempts),
    browsers,
    publicUrl,
    send,
  };
  await app.register(
    async (scope) => {
      scope.setErrorHandler(async (error, _request, reply) => {
        if (error instanceof TooBusy) return send(reply, 503, busyPage, { 'retry-after': '5' });
        parts.log.error({ err: error }, 'a page of the issuer failed');
        if (isOutage(error)) return send(reply, 503, failedPage, { 'retry-after': '5' });
        return send(reply, 500, failedPage);
      });
      const { log, sendPasswordLink, passwordChanged, factorChanged } = parts;
      const more = { log, sendPasswordLink, passwordChanged, factorChanged };
      await scope.register((forms) => addPages(forms, { ...behind, ...more }));
      await scope.register((protocol) => addProtocol(protocol, behind));
    },
    { prefix: publicUrl.pathname },
  );
}

interface Behind {
  readonly afterForm: AfterForm;
  readonly pages: IssuerPages;
  readonly issuer: EmbeddedIssuer;
  readonly attempts: Attempts;
  readonly browsers: KnownBrowsers;
  readonly publicUrl: URL;
  readonly send: Send;
}

async function addProtocol(scope: FastifyInstance, { issuer, attempts, publicUrl, afterForm }: Behind) {
  const seeOther: SeeOther = (page, status) => {
    const location = `${publicUrl.pathname}${placeOf[page.kind]}`;
    return { location, cookie: afterForm.cookie(location, { status, page }) };
  };
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    const elsewhere = findElsewhere(request, publicUrl);
    if (elsewhere) return reply.redirect(elsewhere, 307);
    const path = request.url.slice(publicUrl.pathname.length);
    const isForm = request.method === 'POST' && (isDevicePage(path) || path === '/session/end/confirm');
    if (isForm && isDevicePage(path)) {
      const refused = await attempts.deviceCode(callerAddress(request.ip));
      if (refused) {
        return afterForm.go(reply, `${publicUrl.pathname}/too-many-tries`, { status: 429, waitMs: refused.waitMs });
      }
    }
    const raw = introduce(request, publicUrl);
    raw.originalUrl = raw.url ?? '/';
    raw.url = raw.originalUrl.slice(publicUrl.pathname.length) || '/';
    // A code in the address is filled in by our page; left in the url, the library would answer with a script.
    if (request.method === 'GET' && isDevicePage(raw.url)) raw.url = '/device';
    await issuer.handle(raw, reply.raw, isForm ? seeOther : undefined);
    return answered(reply);
  };
  scope.all('/', handle);
  scope.all('/*', handle);
}

/** Where the answers to forms of the protocol are shown. */
const placeOf: Readonly<Record<FormAnswer['kind'], string>> = {
  deviceCode: '/device/again',
  deviceConfirm: '/device/confirm',
  problem: '/problem',
};

/** Where the code of a device is typed. The library matches paths whatever their case, and so do we. */
export function isDevicePage(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  try {
    return /^\/+device\/*$/i.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}

/** Cookies belong to one host name. A browser that came by another name of ours is sent to the one we go by. */
function findElsewhere(request: FastifyRequest, publicUrl: URL): string | undefined {
  const isPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
  return isPage && request.headers.host !== publicUrl.host ? onOurHost(request.url, publicUrl) : undefined;
}
/** The same path and query on our host. A request may name another host in its first line. */
export function onOurHost(asked: string, publicUrl: URL): string {
  const { pathname, search } = new URL(asked, publicUrl);
  const address = new URL(publicUrl.origin);
  address.pathname = pathname;
  address.search = search;
  return address.href;
}

/**
 * The library builds addresses from the Host header and trusts proxy headers. Callers control both, so both are
 * replaced: by our public name, and by the address that Fastify determined from its trusted proxies.
 */
function introduce(request: FastifyRequest, publicUrl: URL): IncomingMessage & { originalUrl?: string } {
  const raw: IncomingMessage & { originalUrl?: string } = request.raw;
  raw.headers.host = publicUrl.host;
  raw.headers['x-forwarded-proto'] = publicUrl.protocol.slice(0, -1);
  raw.headers['x-forwarded-for'] = request.ip;
  delete raw.headers['x-forwarded-host'];
  return raw;
}

type FormParts = Behind & Pick<OidcMountParts, 'log' | 'sendPasswordLink' | 'passwordChanged' | 'factorChanged'>;

async function addPages(scope: FastifyInstance, parts: FormParts) {
  const { issuer, attempts, publicUrl, send, afterForm } = parts;
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );
  scope.addHook('preHandler', async (request, reply) => {
    introduce(request, publicUrl);
    if (request.method === 'POST' && !isFromOurPage(request, publicUrl)) return send(reply, 403, strangerPage);
    return undefined;
  });
  addOutcomes(scope, parts);
  addInteractions(scope, parts);
  const { log, sendPasswordLink, passwordChanged } = parts;
  mountPasswordRoutes(scope, {
    base: publicUrl.pathname,
    accounts: issuer.accounts,
    ...{ attempts, send, afterForm, sendPasswordLink, passwordChanged, fieldOf, refusal, log },
  });
}

/** The pages that only a form leads to. Without one, a person who comes back to them begins anew. */
function addOutcomes(scope: FastifyInstance, { afterForm, pages, publicUrl, send }: Behind): void {
  scope.get('/over', async (_request, reply) => send(reply, 400, overPage));
  scope.get('/too-many-tries', async (request, reply) => {
    const { text, headers } = refusal(afterForm.take(request, reply)?.waitMs ?? 60_000);
    return send(reply, 429, notePage(tooMany, text), headers);
  });
  for (const place of Object.values(placeOf)) {
    scope.get(place, async (request, reply) => {
      const { status = 200, page } = afterForm.take(request, reply) ?? {};
      if (!page) return afterForm.go(reply, `${publicUrl.pathname}/device`);
      const { html, headers } = pageOf(pages, page);
      return reply.code(status).headers(headers).send(html);
    });
  }
}

/** The questions of a sign-in: who the person is, and what a program may do for them. */
function addInteractions(scope: FastifyInstance, parts: FormParts): void {
  const { issuer, attempts, browsers, publicUrl, send, afterForm, sendPasswordLink, factorChanged } = parts;
  const path = (id: string, last: string) => `${publicUrl.pathname}/interaction/${id}${last}`;
  const answer = makeAnswer(issuer, browsers);
  const isOver = (reply: FastifyReply) =>
    reply.request.method === 'POST' ? afterForm.go(reply, `${publicUrl.pathname}/over`) : send(reply, 400, overPage);
  /** The question of this browser, if it is the one that the address names and of the kind that was asked. */
  async function questionFor(request: FastifyRequest, reply: FastifyReply, kind?: Question['kind']) {
    const question = await issuer.question(request.raw, reply.raw);
    const { id } = request.params as { id: string };
    return question?.id === id && (kind === undefined || question.kind === kind) ? question : undefined;
  }
  const secondStep = makeSecondStep({
    ...{ issuer, path, send, afterForm, isOver, fieldOf, refusal, answer, factorChanged },
    questionFor: (request, reply) => questionFor(request, reply, 'login'),
  });
  secondStep.mount(scope);

  function showLogin(request: FastifyRequest, reply: FastifyReply, question: Question) {
    const { status = 200, problem, waitMs, login } = afterForm.take(request, reply) ?? {};
    const waits = waitMs === undefined ? undefined : refusal(waitMs);
    const sheet = loginPage({
      action: path(question.id, '/login'),
      refuseAction: path(question.id, '/refuse'),
      question,
      login: login ?? question.loginHint?.slice(0, maxLoginLength) ?? '',
      problem: waits?.text ?? problem,
      linkUrl: sendPasswordLink && linkUrl(publicUrl.pathname),
    });
    return send(reply, status, sheet, waits?.headers);
  }

  scope.get('/interaction/:id', async (request, reply) => {
    const question = await questionFor(request, reply);
    if (!question) return isOver(reply);
    if (question.kind === 'login') return showLogin(request, reply, question);
    const account = await issuer.accounts.find({ id: question.accountId ?? '' });
    if (!account) return isOver(reply);
    const form = { action: path(question.id, '/consent'), refuseAction: path(question.id, '/refuse') };
    return send(reply, 200, consentPage({ ...form, question, login: account.login }));
  });

  scope.post('/interaction/:id/login', async (request, reply) => {
    const question = await questionFor(request, reply, 'login');
    if (!question) return isOver(reply);
    const login = fieldOf(request, 'login').slice(0, maxLoginLength);
    const signInsEndedAt = (await issuer.accounts.find({ login }))?.signInsEndedAt;
    const browser = browsers.find(request.headers.cookie, { login, signInsEndedAt });
    const refused = await attempts.password(login, callerAddress(request.ip), browser);
    const again = path(question.id, '');
    if (refused) return afterForm.go(reply, again, { status: 429, login, waitMs: refused.waitMs });
    const account = await issuer.accounts.authenticate(login, fieldOf(request, 'password'));
    if (!account) return afterForm.go(reply, again, { status: 401, login, problem: wrongPassword });
    return secondStep.begin(request, reply, question, account);
  });

  scope.post('/interaction/:id/consent', async (request, reply) => {
    const question = await questionFor(request, reply, 'consent');
    return question ? answer(request, reply, { consent: true }) : isOver(reply);
  });

  scope.post('/interaction/:id/refuse', async (request, reply) => {
    const question = await questionFor(request, reply);
    return question ? answer(request, reply, { refuse: true }) : isOver(reply);
  });
}

const makeAnswer =
  (issuer: EmbeddedIssuer, browsers: KnownBrowsers) =>
  async (request: FastifyRequest, reply: FastifyReply, given: Answer) => {
    // A sign-in is whole here: the password was right, and the second factor too where there is one.
    const account = 'login' in given ? await issuer.accounts.find({ id: given.login }) : undefined;
    if (account) reply.raw.appendHeader('set-cookie', browsers.remember(request.headers.cookie, account));
    await issuer.answer(request.raw, reply.raw, given);
    return answered(reply);
  };

/** The library has written the answer itself. Marked afterwards, so that a failure before it still gets a page. */
const answered = (reply: FastifyReply) => reply.hijack();

/** A form of another site carries its origin, or the browser says that it crossed sites. Programs say neither. */
function isFromOurPage(request: FastifyRequest, publicUrl: URL): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return origin === publicUrl.origin;
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

const fieldOf = (request: FastifyRequest, name: string): string =>
  request.body instanceof URLSearchParams ? (request.body.get(name) ?? '') : '';

const tooMany = 'Too many tries';
const patience = (waitMs: number): string => {
  const minutes = Math.ceil(waitMs / 60_000);
  return `Too many tries. Wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`;
};
const refusal = (waitMs: number) => ({
  text: patience(waitMs),
  headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
});

const overPage = notePage(
  'This sign-in is over',
  'It was finished, took too long, or began in another browser. Go back to the program that you came from and sign in again.',
);
const strangerPage = notePage(
  'This form came from elsewhere',
  'Another site sent it, so nothing was done. Go back to the program that you came from and sign in again.',
);
const busyPage = notePage('Please try again', 'Many people are signing in right now. Try again in a few seconds.');
