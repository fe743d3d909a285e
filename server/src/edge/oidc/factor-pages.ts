import { renderSVG } from 'uqr';
import type { NewTotp, Question, WaysToProve } from '../../ports/identity-provider/port.ts';
import { Html, html } from './html.ts';
import type { Sheet } from './layout.ts';
import { problemNote } from './pages.ts';
import { passkeyScript } from './passkey-script.ts';

/** What a person sees between the password and the end of a sign-in with a second factor. */
interface Step {
  readonly action: string;
  readonly refuseAction: string;
  readonly question: Question;
  readonly problem?: string | undefined;
}

const codeField = (
  isFirst: boolean,
) => html`<input class="code" id="code" name="code" type="text" required maxlength="32"
  inputmode="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false"${isFirst ? html` autofocus` : undefined}>`;
const cancel = ({ refuseAction }: Step) =>
  html`<form method="post" action="${refuseAction}"><button class="plain" type="submit">Cancel</button></form>`;

const howToAnswer = ({ app, passkey }: WaysToProve): string => {
  if (!passkey)
    return 'Enter the code that your authenticator app shows. If you lost it, enter one of your recovery codes.';
  if (app) return 'Or enter the code that your authenticator app shows, or one of your recovery codes.';
  return 'If you lost your passkey, enter one of your recovery codes.';
};

/** A passkey first, where there is one: it cannot be read out to a stranger. */
export const factorPage = (step: Step & { readonly ways: WaysToProve }): Sheet => ({
  title: 'Second factor',
  leadsTo: step.question.redirectUri,
  script: step.ways.passkey && passkeyScript,
  body: html`${problemNote(step.problem)}
${step.ways.passkey && passkeyForm(step.action, step.ways.passkey)}
<p class="dim">${howToAnswer(step.ways)}</p>
<form method="post" action="${step.action}">
<label for="code">Code</label>
${codeField(!step.ways.passkey)}
<button ${step.ways.passkey ? html`class="plain" ` : undefined}type="submit">Continue</button>
</form>
${cancel(step)}`,
});

const passkeyForm = (action: string, options: object): Html => html`
<p class="problem" id="passkey-problem" role="alert" hidden>The passkey was not used. Try again, or enter a code.</p>
<form id="passkey" class="first" method="post" action="${action}" data-options="${JSON.stringify(options)}">
<input type="hidden" name="passkey" value="">
<button type="submit" autofocus>Use a passkey</button>
</form>`;

/** For a person who needs a second factor now and has none. */
export const setUpPage = (step: Step & { readonly totp: Pick<NewTotp, 'secret' | 'uri'> }): Sheet => ({
  title: 'Set up a second factor',
  leadsTo: step.question.redirectUri,
  body: html`${problemNote(step.problem)}
<p>${step.question.clientName} needs a sign-in with a second factor, and your account has none yet.</p>
<p>Scan this picture with an authenticator app, then enter the code that the app shows.</p>
${picture(step.totp.uri)}
<p class="dim">No camera? Type this key into the app: <strong>${inGroups(step.totp.secret)}</strong></p>
<form method="post" action="${step.action}">
<label for="code">Code</label>
${codeField(true)}
<button type="submit">Continue</button>
</form>
${cancel(step)}`,
});

export const recoveryCodesPage = (step: {
  readonly action: string;
  readonly question: Question;
  readonly codes: readonly string[];
}): Sheet => ({
  title: 'Keep your recovery codes',
  leadsTo: step.question.redirectUri,
  body: html`<p>Each of these codes signs you in once if you lose your second factor. They are not shown again: print
them, or keep them in a password manager.</p>
<ul class="codes">${step.codes.map((code) => html`<li>${code}</li>`)}</ul>
<form method="post" action="${step.action}"><button type="submit">I have kept them</button></form>`,
});

/** Drawn as markup: no picture is loaded, and the secret stays out of addresses. Black on white, or cameras fail. */
const picture = (uri: string): Html => new Html(`<div class="qr">${renderSVG(uri, { border: 2 })}</div>`);
const inGroups = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret;
