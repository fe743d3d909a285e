import { scopes } from '@gpuaas/contract';
import type { IssuerPages, Question } from '../../ports/identity-provider/port.ts';
import { type Html, html } from './html.ts';
import type { LayOut, Sheet } from './layout.ts';

/**
 * What a person sees while signing in and out. Each page says what happens and what to do; a problem says both. What
 * it is written on, with the name and the colours of the installation, is the layout's affair.
 */

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`;
export const problemNote = (text: string | undefined): Html | undefined =>
  text === undefined ? undefined : html`<p class="problem" role="alert">${text}</p>`;

export function loginPage(form: {
  readonly action: string;
  readonly refuseAction: string;
  readonly question: Question;
  readonly login: string;
  readonly problem: string | undefined;
  /** Where a password link is requested; left out where no emails are sent. */
  readonly linkUrl: string | undefined;
}): Sheet {
  return {
    title: 'Sign in',
    leadsTo: form.question.redirectUri,
    body: html`<p class="dim">to continue to ${form.question.clientName}</p>
${problemNote(form.problem)}
<form method="post" action="${form.action}">
<label for="login">Login</label>
<input id="login" name="login" type="text" value="${form.login}" required maxlength="128" autocomplete="username"
  autocapitalize="none" spellcheck="false"${form.login ? undefined : html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" required maxlength="256" autocomplete="current-password"
  ${form.login ? html` autofocus` : undefined}>
<button type="submit">Sign in</button>
</form>
<form method="post" action="${form.refuseAction}"><button class="plain" type="submit">Cancel</button></form>
${form.linkUrl ? html`<p class="help"><a href="${form.linkUrl}">Forgot your password, or have none yet?</a></p>` : undefined}`,
  };
}

export function consentPage(form: {
  readonly action: string;
  readonly refuseAction: string;
  readonly question: Question;
  readonly login: string;
}): Sheet {
  const { question } = form;
  const known: Readonly<Record<string, string>> = scopes;
  const wishes = question.scopes.map((scope) => html`<li>${known[scope] ?? scope}</li>`);
  return {
    title: `Allow ${question.clientName}?`,
    leadsTo: question.redirectUri,
    body: html`<p>You are signed in as <strong>${form.login}</strong>. ${question.clientName} asks to act for you:</p>
${wishes.length > 0 ? html`<ul>${wishes}</ul>` : html`<ul><li>Everything that your roles allow</li></ul>`}
<p class="dim">Allow it only if you have just started it yourself.</p>
<form method="post" action="${form.action}"><button type="submit">Allow</button></form>
<form method="post" action="${form.refuseAction}"><button class="plain" type="submit">Refuse</button></form>`,
  };
}

export function passwordPage(form: {
  readonly action: string;
  readonly token: string;
  readonly problem: string | undefined;
}): Sheet {
  return {
    title: 'Choose a password',
    body: html`${problemNote(form.problem)}
<p class="dim">At least 12 characters. A sentence is easier to remember than a puzzle.</p>
<form method="post" action="${form.action}">
${hidden('token', form.token)}
<label for="password">New password</label>
<input id="password" name="password" type="password" required minlength="12" maxlength="256"
  autocomplete="new-password" autofocus>
<button type="submit">Set password</button>
</form>`,
  };
}

/** Where a link is asked for: by people who forgot their password, and by people who were invited and have none yet. */
export function linkPage(form: { readonly action: string; readonly problem: string | undefined }): Sheet {
  return {
    title: 'Get a password link',
    body: html`${problemNote(form.problem)}
<p class="dim">For people who forgot their password, and for people who were invited and have none yet.</p>
<form method="post" action="${form.action}">
<label for="email">Email</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="email" autofocus>
<button type="submit">Send the link</button>
</form>`,
  };
}

export const passwordSetPage = (login: string | undefined): Sheet => ({
  title: 'Password set',
  body: html`<p>You can now sign in${login === undefined ? undefined : html` as ${login}`}. <a href="/">Sign in</a></p>
<p>All sessions from before have ended. Personal tokens and service accounts still work. If another person may have known
the old password, sign in and revoke the personal tokens that you do not need.</p>
<p class="dim">Were you invited? Then open the link in your invitation again and accept it.</p>`,
});

export const spentPage = (linkUrl: string | undefined): Sheet => ({
  title: 'This link does not work any more',
  body: linkUrl
    ? html`<p>It was used, or is too old. <a href="${linkUrl}">Get a new link.</a></p>`
    : html`<p>It was used, or is too old. Ask the sender for a new one.</p>`,
});

export const notePage = (title: string, text: string): Sheet => ({ title, body: html`<p>${text}</p>` });

/** Presses the button of the page that asks. Its digest is in the policy of the page, which runs nothing else. */
const pressSignOut = `document.querySelector('button[name=logout]').click();`;

const issuerSheets: { readonly [K in keyof IssuerPages]: (...form: Parameters<IssuerPages[K]>) => Sheet } = {
  deviceCode: ({ action, xsrf, code, problem }) => ({
    title: 'Connect a device',
    body: html`${problemNote(problem)}
<form method="post" action="${action}">
${hidden('xsrf', xsrf)}
<label for="user_code">The code on your device</label>
<input class="code" id="user_code" name="user_code" type="text" value="${code}" required maxlength="32"
  autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX" autofocus>
<button type="submit">Continue</button>
</form>`,
  }),

  deviceConfirm: ({ action, xsrf, code, clientName, address }) => ({
    title: 'Is this your device?',
    body: html`<p>${clientName}${address ? html` at ${address}` : undefined} shows this code:</p>
<p class="code">${code}</p> <p class="dim">If it does not, or if another person sent you here, refuse: that person would be signed in as you.</p> <form method="post" action="${action}">
${hidden('xsrf', xsrf)}${hidden('user_code', code)}
<button type="submit" name="confirm" value="yes">Yes, continue</button>
</form>
<form method="post" action="${action}">
${hidden('xsrf', xsrf)}${hidden('user_code', code)}
<button class="plain" type="submit" name="abort" value="yes">Refuse</button>
</form>`,
  }),

  deviceDone: (clientName) =>
    notePage('Device connected', `${clientName || 'Your device'} is signed in. You can close this page.`),

  signOut: ({ action, xsrf, returnTo, isMeant }) => ({
    title: 'Sign out?',
    leadsTo: returnTo,
    // The person pressed the button in the console already. Where no script runs, this page asks.
    script: isMeant ? pressSignOut : undefined,
    body: html`<p>You will be signed out in this browser.</p>
<form method="post" action="${action}">
${hidden('xsrf', xsrf)}
<button type="submit" name="logout" value="yes">Sign out</button>
</form>
<form method="post" action="${action}">
${hidden('xsrf', xsrf)}
<button class="plain" type="submit">Stay signed in</button>
</form>`,
  }),

  signedOut: () => notePage('Signed out', 'You are signed out in this browser. You can close this page.'),

  goOn: ({ action, fields }) => ({
    title: 'Continue',
    leadsTo: action,
    body: html`<p>One more step.</p>
<form method="post" action="${action}">
${fields.map(([name, value]) => hidden(name, value))}
<button type="submit" autofocus>Continue</button>
</form>`,
  }),

  problem: ({ code, description }) => ({
    title: 'This did not work',
    body: html`<p class="problem" role="alert">${wordsFor(code)}</p>
<p>Go back to the program that you came from and start again. If it happens again, tell its makers what stands below.</p>
<p class="dim">${code}${description ? html`: ${description}` : undefined}</p>`,
  }),
};

/** The page for an internal error. */
export const failedPage: Sheet = issuerSheets.problem({ code: 'server_error', description: undefined });

/** The pages that the protocol itself asks for. */
export const makeIssuerPages = (layOut: LayOut): IssuerPages => ({
  deviceCode: (form) => layOut(issuerSheets.deviceCode(form)),
  deviceConfirm: (form) => layOut(issuerSheets.deviceConfirm(form)),
  deviceDone: (clientName) => layOut(issuerSheets.deviceDone(clientName)),
  signOut: (form) => layOut(issuerSheets.signOut(form)),
  signedOut: () => layOut(issuerSheets.signedOut()),
  goOn: (form) => layOut(issuerSheets.goOn(form)),
  problem: (form) => layOut(issuerSheets.problem(form)),
});

function wordsFor(code: string): string {
  switch (code) {
    case 'invalid_client':
      return 'The program that sent you here is not known.';
    case 'invalid_redirect_uri':
      return 'The program that sent you here wants to be answered at an address that is not its own.';
    case 'invalid_request':
      return 'The program that sent you here asked for something that cannot be done, or the page was open too long.';
    case 'server_error':
      return 'Something went wrong on our side. Try again in a minute.';
    default:
      return 'The request was refused.';
  }
}
