import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt } from '../../server/src/ports/identity-provider/factors/testing.ts';
import { type Installation, lookAt, openInstallation, type Visit } from './in-browser.ts';

/** Second factors in a real browser, with an authenticator that the browser itself simulates. */
let here: Installation;
beforeAll(async () => {
  here = await openInstallation(['--bare', '--fleet', 'none'], {}, 'localhost');
}, 180_000);
afterAll(() => here?.close(), 60_000);

const openSecurity = async (page: Page) => {
  await page.goto(`${here.base}/security`);
  await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
};
const keepCodes = async (page: Page): Promise<string[]> => {
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  const codes =
    ((await dialog.locator('pre, code').first().textContent()) ?? '').match(/[a-z2-7]{4}(?:-[a-z2-7]{4}){3}/g) ?? [];
  await dialog.getByRole('button', { name: "I've saved them" }).click();
  await dialog.waitFor({ state: 'detached' });
  return codes;
};
const signOut = async (page: Page) => {
  await page.getByRole('button', { name: /^You: / }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  // One press is enough: the page of the issuer that would ask goes on by itself.
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
};
/** Types login and password, up to the page that asks for the second factor. */
const typePassword = async (page: Page, login: string) => {
  const field = page.locator('input:not([type=hidden]):not([type=password])').first();
  await field.fill(login);
  await page.locator('input[type=password]').fill(here.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Second factor' }).waitFor();
};

/** A device with a verified person, in the window of this page alone. Keys of another window are copied into it. */
async function addDevice({ context }: Visit, page: Page, from?: Device): Promise<Device> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const known = from
    ? await from.session.send('WebAuthn.getCredentials', { authenticatorId: from.authenticatorId })
    : undefined;
  for (const credential of known?.credentials ?? []) {
    await session.send('WebAuthn.addCredential', { authenticatorId, credential });
  }
  return { session, authenticatorId };
}
/** Makes the device count from a higher number, as one does that was used elsewhere. */
async function countOn({ session, authenticatorId }: Device): Promise<void> {
  const { credentials } = await session.send('WebAuthn.getCredentials', { authenticatorId });
  for (const credential of credentials) {
    await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId });
    const later = { ...credential, signCount: credential.signCount + 100 };
    await session.send('WebAuthn.addCredential', { authenticatorId, credential: later });
  }
}
interface Device {
  readonly session: CDPSession;
  readonly authenticatorId: string;
}

describe('the Security page', () => {
  it('adds a passkey that steps up and signs in, refuses its copy, and adds an app beside it', {
    timeout: 300_000,
  }, async () => {
    const visit = await here.enter('member');
    const { context, page, complaints } = visit;
    const device = await addDevice(visit, page);
    await openSecurity(page);
    await page.getByText('Your password alone opens your account.').waitFor();

    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Laptop');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await keepCodes(page)).toHaveLength(10);
    await page.getByText('Passkey, last used').waitFor();

    // This sign-in was by password alone, so it must show the passkey before it changes factors.
    await page.getByRole('button', { name: 'Make new codes' }).click();
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Confirm your identity' }).click();
    const popup = await opened;
    popup.setDefaultTimeout(45_000);
    await addDevice(visit, popup, device);
    await typePassword(popup, 'member');
    const closed = popup.waitForEvent('close');
    await popup.getByRole('button', { name: 'Use a passkey' }).click();
    await closed.catch(() => undefined);
    expect(await keepCodes(page)).toHaveLength(10);

    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Phone');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = (await page.getByRole('dialog').locator('bdi').first().textContent()) ?? '';
    await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, Date.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Authenticator app, last used').waitFor();

    expect(await lookAt(here, page, '/security', 'Security')).toEqual([]);

    await signOut(page);
    await page.goto(`${here.base}/auth/login`);
    await typePassword(page, 'member');
    // The device of this window has counted fewer signatures than its copy in the other window: it is the copy now.
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('That passkey was not accepted.').waitFor();
    await countOn(device);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();

    await openSecurity(page);
    await page.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Passkey, last used').waitFor({ state: 'detached' });

    await signOut(page);
    await page.goto(`${here.base}/auth/login`);
    await typePassword(page, 'member');
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    // The code of now may be the one that confirmed the app, and each works once; the next one is accepted already.
    await page.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, Date.now() + 30_000));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
