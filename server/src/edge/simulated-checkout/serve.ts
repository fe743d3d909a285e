import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LocalPages, serveLocally } from '../local-pages.ts';
import {
  checkoutPage,
  overPage,
  type ShownCheckout,
  type ShownSetup,
  setupOverPage,
  setupPage,
  styleSheet,
} from './pages.ts';

/**
 * The checkout page of the simulated payment provider. Served by `npm start` alone, on a loopback port of its own: no production
 * process has it. A browser that a foreign site sends here is refused by the name it came under, and so is a form of another site.
 */
export interface SimulatedCheckouts {
  checkout(id: string): Promise<(ShownCheckout & { readonly customer: string }) | undefined>;
  savedCard(customer: string): Promise<string | undefined>;
  setup(id: string): Promise<ShownSetup | undefined>;
  finishSetup(id: string, last4: string): Promise<object | undefined>;
  pay(
    id: string,
    how: { readonly last4: string; readonly saveCard: boolean; readonly fault: 'none' | 'duplicate' | 'late' | 'lost' },
  ): Promise<object | undefined>;
}
interface Parts {
  readonly checkouts: SimulatedCheckouts;
  readonly host: string;
  readonly now: () => Date;
  /** Called when there is something to send. */
  readonly paid: () => void;
  readonly onFault: (error: unknown) => void;
}
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly location?: string;
  /** Where a form of this page may lead in the end. */
  readonly formsLeadTo?: string;
}

const maxFormBytes = 4_096;
const declined = '0002';
const faults = ['none', 'duplicate', 'late', 'lost'] as const;
const text = (status: number, body: string): Answer => ({ status, type: 'text/plain; charset=utf-8', body });
const markup = (status: number, body: string, formsLeadTo?: string): Answer => ({
  ...{ status, type: 'text/html; charset=utf-8', body },
  ...(formsLeadTo && { formsLeadTo }),
});

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let form = '';
  for await (const chunk of request) {
    form += String(chunk);
    if (form.length > maxFormBytes) return undefined;
  }
  return new URLSearchParams(form);
}

async function answer(parts: Parts, request: IncomingMessage, path: string): Promise<Answer> {
  const { checkouts, now } = parts;
  if (path === '/style.css') return { status: 200, type: 'text/css; charset=utf-8', body: styleSheet };
  if (path.startsWith('/setup/')) return answerSetup(parts, request, path);
  const [, id = '', pay] = /^\/checkout\/(cs_sim_[0-9a-f]{24})(\/pay)?$/.exec(path) ?? [];
  const checkout = id === '' ? undefined : await checkouts.checkout(id);
  if (!checkout) return text(404, 'There is no such checkout.\n');
  if (checkout.paid_at !== null || checkout.expires_at <= now()) return markup(200, overPage(checkout));
  const home = new URL(checkout.paid_url).origin;
  const savedCard = await checkouts.savedCard(checkout.customer);
  if (pay === undefined) {
    return request.method === 'GET' ? markup(200, checkoutPage(checkout, savedCard), home) : text(405, 'Only GET.\n');
  }
  const form = request.method === 'POST' ? await readForm(request) : undefined;
  if (!form) return text(400, 'Send the form of the page.\n');
  const last4 = lastDigits(form);
  const ask = (problem: string) => markup(200, checkoutPage(checkout, savedCard, problem), home);
  if (last4.length < declined.length) return ask('Type at least four digits.');
  if (last4 === declined) return ask('The card was declined. Take another number.');
  const fault = faults.find((each) => each === form.get('fault')) ?? 'none';
  const paid = await checkouts.pay(id, { last4, saveCard: form.get('save') === 'yes', fault });
  if (!paid) return markup(200, overPage(checkout));
  parts.paid();
  return { ...text(303, ''), location: checkout.paid_url };
}

const lastDigits = (form: URLSearchParams): string =>
  (form.get('card') ?? '').replaceAll(/\D/g, '').slice(-declined.length);

/** The page on which a card is saved without a payment. */
async function answerSetup({ checkouts, now }: Parts, request: IncomingMessage, path: string): Promise<Answer> {
  const [, id = '', save] = /^\/setup\/(cs_sim_[0-9a-f]{24})(\/save)?$/.exec(path) ?? [];
  const setup = id === '' ? undefined : await checkouts.setup(id);
  if (!setup) return text(404, 'There is no such page.\n');
  if (setup.done_at !== null || setup.expires_at <= now()) return markup(200, setupOverPage(setup));
  const home = new URL(setup.back_url).origin;
  if (save === undefined) {
    return request.method === 'GET' ? markup(200, setupPage(setup), home) : text(405, 'Only GET.\n');
  }
  const form = request.method === 'POST' ? await readForm(request) : undefined;
  if (!form) return text(400, 'Send the form of the page.\n');
  const last4 = lastDigits(form);
  if (last4.length < declined.length) return markup(200, setupPage(setup, 'Type at least four digits.'), home);
  if (last4 === declined) {
    return markup(200, setupPage(setup, 'The card was declined. Take another number.'), home);
  }
  const done = await checkouts.finishSetup(id, last4);
  return done ? { ...text(303, ''), location: setup.back_url } : markup(200, setupOverPage(setup));
}

function send(response: ServerResponse, { status, type, body, location, formsLeadTo }: Answer): void {
  const forms = formsLeadTo === undefined ? "'none'" : `'self' ${formsLeadTo}`;
  response
    .writeHead(status, {
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'self'; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-type': type,
      ...(location && { location }),
    })
    .end(body);
}

/** A form of another site, or a page under a foreign name, is refused. */
const isOurs = ({ headers: { host, origin, 'sec-fetch-site': site }, method }: IncomingMessage, own: string) =>
  host === own &&
  (method === 'GET' ||
    origin === `http://${own}` ||
    ((origin === undefined || origin === 'null') && site !== 'cross-site'));

export const serveSimulatedCheckout = (parts: Parts): Promise<LocalPages> =>
  serveLocally(parts.host, (request, response, own) => {
    if (!isOurs(request, own)) {
      send(response, text(403, 'Open this page by its own address.\n'));
      return;
    }
    answer(parts, request, request.url?.split('?')[0] ?? '/').then(
      (made) => send(response, made),
      (error: unknown) => {
        parts.onFault(error);
        send(response, text(500, 'The checkout could not be read.\n'));
      },
    );
  });
