import { html } from '../oidc/html.ts';
import type { Sheet } from '../oidc/layout.ts';

/** The pages of a console sign-in, until the console itself takes over. */

const again = html`<p><a href="/auth/login">Sign in</a></p>`;

export const overPage: Sheet = {
  title: 'This sign-in is over',
  body: html`<p>It was finished, took too long, or began in another browser. Nothing was signed in.</p>
${again}`,
};
export const closedPage: Sheet = {
  title: 'Nobody can sign in here yet',
  body: html`<p>This installation lacks the key or the client secret that the console needs. Its log says which.</p>`,
};
export const strangerPage: Sheet = {
  title: 'This came from elsewhere',
  body: html`<p>Another site sent it, so nothing was done.</p>
<p><a href="/">Go to the start</a></p>`,
};
export const lostPage: Sheet = {
  title: 'There is no such page',
  body: html`<p>The address may be mistyped, or what was there is gone.</p>
<p><a href="/">Go to the start</a></p>`,
};
export const crowdedPage: Sheet = {
  title: 'Too many requests',
  body: html`<p>Your network address sent too many requests. Wait a minute, then load this page again.</p>`,
};
export const refusedPage = (code: string): Sheet => ({
  title: 'You were not signed in',
  body: html`<p>The sign-in was refused.</p>
${again}
<p class="dim">${code.slice(0, 100)}</p>`,
});
export const awayPage = (correlationId: string): Sheet => ({
  title: 'Please try again',
  body: html`<p>The sign-in service does not answer. Try again in a few seconds.</p>
${again}
<p class="dim">${correlationId}</p>`,
});

export function homePage(about: {
  readonly product: string;
  readonly version: string;
  /** The name of the signed-in person; undefined without a session. */
  readonly name: string | undefined;
  readonly leadsTo: string | undefined;
}): Sheet {
  const links = html`<p class="dim">${about.product} ${about.version} · <a href="/docs">Docs</a> · <a href="/docs/api">API</a></p>`;
  return about.name === undefined
    ? {
        title: 'Welcome',
        body: html`<p>A control plane that rents GPU capacity.</p>
${again}
${links}`,
      }
    : {
        title: 'Signed in',
        leadsTo: about.leadsTo,
        body: html`<p>Signed in as <strong>${about.name}</strong>.</p>
<form method="post" action="/auth/logout"><button class="plain" type="submit">Sign out</button></form>
${links}`,
      };
}
