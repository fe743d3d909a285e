/**
 * A browser without scripts: it keeps cookies by their paths, follows redirects, and fills in forms. It stops where a
 * redirect leads away from the issuer, as to a program that waits on this machine.
 */
export interface Screen {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
  readonly forms: readonly Form[];
}
export interface Form {
  readonly action: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly hasPassword: boolean;
}
export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly line: string;
}
export interface Browser {
  readonly cookies: ReadonlyMap<string, Cookie>;
  open(url: string | URL, headers?: Record<string, string>): Promise<Screen>;
  submit(
    screen: Screen,
    fields?: Record<string, string>,
    which?: number,
    headers?: Record<string, string>,
  ): Promise<Screen>;
}

const mostRedirects = 10;

export function makeBrowser(origin: string): Browser {
  const cookies = new Map<string, Cookie>();

  function keep(url: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(/;\s*/);
      const cut = pair.indexOf('=');
      const [name, value] = [pair.slice(0, cut), pair.slice(cut + 1)];
      const of = (wanted: string) =>
        attributes.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
      const path = of('path') ?? url.pathname;
      const expires = of('expires');
      const key = `${name} ${path}`;
      if (value === '' || (expires && Date.parse(expires) <= Date.now())) cookies.delete(key);
      else cookies.set(key, { name, value, path, line });
    }
  }

  async function go(start: URL, init: RequestInit): Promise<Screen> {
    let url = start;
    let request = init;
    for (let hop = 0; hop < mostRedirects; hop += 1) {
      if (url.origin !== origin) return { url, status: 0, html: '', headers: new Headers(), forms: [] };
      const sent = [...cookies.values()].filter(({ path }) => url.pathname.startsWith(path));
      const response = await fetch(url, {
        ...request,
        redirect: 'manual',
        headers: {
          accept: 'text/html,application/xhtml+xml',
          cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; '),
          ...(request.headers as Record<string, string> | undefined),
        },
      });
      keep(url, response.headers.getSetCookie());
      const html = await response.text();
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || !location) {
        return { url, status: response.status, html, headers: response.headers, forms: readForms(html) };
      }
      url = new URL(location, url);
      request = {};
    }
    throw new Error(`more than ${mostRedirects} redirects, the last to ${url}`);
  }

  return {
    cookies,
    open: (url, headers = {}) => go(new URL(url), { headers }),
    async submit(screen, fields = {}, which = 0, headers = {}) {
      const form = screen.forms[which];
      if (!form) throw new Error(`there is no form at ${screen.url}: ${screen.status} ${screen.html.slice(0, 2_000)}`);
      const body = new URLSearchParams([...form.fields, ...Object.entries(fields)].filter(([name]) => name !== ''));
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const target = new URL(form.action || screen.url.href, screen.url);
      return go(target, { method: 'POST', body, headers: { origin: screen.url.origin, ...headers } });
    },
  };
}

/** Fills in whatever is asked, until the browser is sent away or a page without a form is left. */
export async function walkThrough(
  browser: Browser,
  screen: Screen,
  person: {
    readonly login: string;
    readonly password: string;
    /** The code of a second factor, for a page that asks for one. */
    readonly code?: (screen: Screen) => string;
    /** What the device answers to the options of a page that asks for a passkey. */
    readonly passkey?: (options: object) => object;
  },
): Promise<Screen> {
  const { code, passkey, ...known } = person;
  const fill = (screen: Screen): Record<string, string> => {
    const [form] = screen.forms;
    if (form?.hasPassword) return known;
    const options = passkey && passkeyOptionsIn(screen);
    if (options) return { passkey: JSON.stringify(passkey(options)) };
    return code && form?.fields.has('code') ? { code: code(screen) } : {};
  };
  let current = screen;
  for (let page = 0; page < mostRedirects && current.forms.length > 0; page += 1) {
    current = await browser.submit(current, fill(current));
    if (current.status >= 400) return current;
  }
  return current;
}

/** What the script of a page hands to the browser to ask for a passkey; undefined on a page without one. */
export function passkeyOptionsIn({ html }: Screen): object | undefined {
  const text = /\sdata-options="([^"]*)"/.exec(html)?.[1];
  return text === undefined ? undefined : (JSON.parse(unescapeHtml(text)) as object);
}

const unescapeHtml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescapeHtml(found);
};

function readForms(html: string): Form[] {
  return [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = '', body = '']) => {
    const inputs = [...body.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag);
    const button = /<button\b[^>]*\sname="[^"]*"[^>]*>/.exec(body)?.[0];
    const named = [...inputs, ...(button ? [button] : [])].flatMap((tag) => {
      const name = attribute(tag, 'name');
      return name === undefined ? [] : [[name, attribute(tag, 'value') ?? ''] as const];
    });
    return {
      action: attribute(head, 'action') ?? '',
      fields: new Map(named),
      hasPassword: inputs.some((tag) => attribute(tag, 'type') === 'password'),
    };
  });
}
