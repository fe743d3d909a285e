import { type Html, html } from '../oidc/html.ts';

/** What the page of the simulated provider shows of a checkout. */
export interface ShownCheckout {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  readonly title: string;
  readonly paid_url: string;
  readonly left_url: string;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
}

/** What it shows of a page on which a card is saved. */
export interface ShownSetup {
  readonly id: string;
  readonly title: string;
  readonly back_url: string;
  readonly expires_at: Date;
  readonly done_at: Date | null;
}

const style = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 26rem; margin: 3rem auto; padding: 0 1rem; }
  .simulated { border: 2px dashed #b45309; border-radius: .5rem; padding: .75rem 1rem; }
  .amount { font-size: 2rem; font-weight: 600; margin: .5rem 0; }
  label { display: block; margin: .75rem 0; }
  input[type=text], select { display: block; width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; }
  button { width: 100%; padding: .75rem; font: inherit; font-weight: 600; margin-top: 1rem; }
  .bad { color: #b91c1c; }
`;

const spellAmount = ({ amount, currency }: ShownCheckout): string => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 0;
  return format.format(Number(amount) / 10 ** digits);
};

const page = (title: string, body: Html): string =>
  html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><link rel="stylesheet" href="/style.css">
<p class="simulated"><strong>Simulated.</strong> This page stands in for a payment provider. No money moves, and no card is
charged: any number will do.</p>${body}`.text;

const faults: readonly (readonly [string, string])[] = [
  ['none', 'arrives at once'],
  ['duplicate', 'arrives twice'],
  ['late', 'arrives 20 seconds late'],
  ['lost', 'never arrives'],
];

export const styleSheet = style;

export function checkoutPage(checkout: ShownCheckout, savedCard: string | undefined, problem?: string): string {
  const amount = spellAmount(checkout);
  const card = savedCard ? `•••• ${savedCard}` : '4242 4242 4242 4242';
  return page(
    `Pay ${amount}`,
    html`<h1>${checkout.title}</h1><p class="amount">${amount}</p>
${problem === undefined ? undefined : html`<p class="bad" role="alert">${problem}</p>`}
<form method="post" action="/checkout/${checkout.id}/pay">
<label>Card number <input type="text" name="card" value="${card}" autocomplete="off" maxlength="40"></label>
<label><input type="checkbox" name="save" value="yes"> Keep this card for the next payment</label>
<label>The news of the payment <select name="fault">${faults.map(
      ([value, text]) => html`<option value="${value}">${text}</option>`,
    )}</select></label>
<button>Pay ${amount}</button></form>
<p><a href="${checkout.left_url}" rel="noreferrer">Go back without paying</a></p>`,
  );
}

export const overPage = (checkout: ShownCheckout): string =>
  page(
    'This checkout is over',
    html`<h1>This checkout is over</h1><p>${checkout.paid_at ? 'It was paid.' : 'Its time has run out.'}</p>
<p><a href="${checkout.paid_url}" rel="noreferrer">Go back</a></p>`,
  );

export const setupPage = (setup: ShownSetup, problem?: string): string =>
  page(
    'Save a card',
    html`<h1>Save a card</h1><p>${setup.title}</p>
${problem === undefined ? undefined : html`<p class="bad" role="alert">${problem}</p>`}
<form method="post" action="/setup/${setup.id}/save">
<label>Card number <input type="text" name="card" value="4242 4242 4242 4242" autocomplete="off" maxlength="40"></label>
<button>Save the card</button></form>
<p>A number that ends in 0341 is saved and declines later charges. One that ends in 3184 asks for a confirmation of each.</p>
<p><a href="${setup.back_url}" rel="noreferrer">Go back without saving</a></p>`,
  );

export const setupOverPage = (setup: ShownSetup): string =>
  page(
    'This page is over',
    html`<h1>This page is over</h1><p>${setup.done_at ? 'The card was saved.' : 'Its time has run out.'}</p>
<p><a href="${setup.back_url}" rel="noreferrer">Go back</a></p>`,
  );
