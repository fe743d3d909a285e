import { createHash, randomBytes } from 'node:crypto';
import { makeBrowser } from '../../../src/ports/identity-provider/conformance-browser.ts';
import { type Person, postForm, type Tokens } from './sign-in.ts';

const redirectUri = 'http://127.0.0.1:45999/callback';

/** A sign-in whose password was accepted, and whose browser does not follow the redirect that comes next. */
export async function holdSignIn(
  url: string,
  { login, password }: Person,
): Promise<{
  /** Follows the redirect now, and answers the tokens if there are any. */
  goOn(): Promise<Tokens | undefined>;
}> {
  type How = Record<'client_id' | 'scope' | 'authorization_endpoint' | 'token_endpoint', string>;
  const how = (await (await fetch(`${url}/api/v1/sign-in`)).json()) as How;
  const verifier = randomBytes(32).toString('base64url');
  const address = new URL(how.authorization_endpoint);
  address.search = new URLSearchParams({
    client_id: how.client_id,
    scope: how.scope,
    state: randomBytes(16).toString('base64url'),
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const browser = makeBrowser(url);
  const page = await browser.open(address);
  const response = await fetch(new URL(page.forms[0]?.action ?? '', page.url), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ login, password }),
    headers: {
      cookie: [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`).join('; '),
      origin: url,
    },
  });
  if (response.status !== 303) throw new Error(`the password was not accepted: ${response.status}`);
  const next = new URL(response.headers.get('location') ?? '', url);
  return {
    async goOn() {
      let screen = await browser.open(next);
      // Consents to what is asked; a page that asks for the password again is the end.
      for (let page = 0; page < 3 && screen.forms.length > 0 && !screen.forms[0]?.hasPassword; page += 1) {
        screen = await browser.submit(screen);
      }
      const code = screen.url.searchParams.get('code');
      if (!code) return undefined;
      const { status, body } = await postForm(how.token_endpoint, {
        grant_type: 'authorization_code',
        client_id: how.client_id,
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      });
      return status === 200 ? (body as Tokens) : undefined;
    },
  };
}
