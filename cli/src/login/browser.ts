import { spawn } from 'node:child_process';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { send } from '../call.ts';
import type { Environment } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { askFor, type Discovered, makeChallenge, refused, type TokenAnswer } from './discover.ts';

/**
 * Sign-in with the browser of this machine: the issuer redirects to a local port with a code. Only this program can
 * exchange the code, because it has the PKCE verifier.
 */
const patienceMs = 5 * 60_000;

export async function signInWithBrowser(
  found: Discovered,
  options: {
    readonly stepUp: boolean;
    readonly secondFactor: boolean;
    readonly env: Environment;
    readonly say: (line: string) => void;
  },
): Promise<TokenAnswer> {
  const { verifier, challenge } = makeChallenge();
  const state = randomBytes(16).toString('base64url');
  const answered = Promise.withResolvers<{ readonly code: string; readonly page: ServerResponse }>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || url.pathname !== '/callback') {
      response.writeHead(404).end();
      return;
    }
    // A callback with another state is not ours; the person may still be signing in.
    if (!isSame(url.searchParams.get('state') ?? '', state)) {
      await show(response, 400, 'This sign-in was not started by your terminal. Nothing was done.');
      return;
    }
    const code = url.searchParams.get('code');
    // The page waits until the code was exchanged, because only then the person is signed in.
    if (code) {
      answered.resolve({ code, page: response });
      return;
    }
    answered.reject(refused(url.searchParams.get('error'), url.searchParams.get('error_description')));
    await show(response, 200, notSignedIn);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(answered.reject);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const late = setTimeout(
    () =>
      answered.reject(new Failure(exitCodes.signIn, 'Nobody signed in within five minutes.', { next: 'Try again.' })),
    patienceMs,
  );
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    const address = new URL(found.authorization_endpoint);
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: found.client_id,
      redirect_uri: redirectUri,
      scope: found.scope,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...askFor(found, options),
    })) {
      address.searchParams.set(name, value);
    }
    options.say('Your browser opens to sign you in. If it does not, open this address in it:');
    options.say(`\n  ${address.href}\n`);
    openBrowser(address.href, options.env);
    const { code, page } = await answered.promise;
    try {
      const answer = await send(found.token_endpoint, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: found.client_id,
          code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        }),
      });
      if (answer.status !== 200) throw refused(answer.body?.error, answer.body?.error_description);
      await show(page, 200, 'You are signed in. You can close this page.');
      return answer.body as TokenAnswer;
    } catch (error) {
      if (!page.headersSent) await show(page, 200, notSignedIn);
      throw error;
    }
  } finally {
    clearTimeout(late);
    server.close();
    server.closeAllConnections();
  }
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const notSignedIn = 'Sign-in failed. Your terminal says why.';

/** Resolves when the browser has received the page or disconnected. */
function show(response: ServerResponse, status: number, text: string): Promise<void> {
  const sent = new Promise<void>((resolve) => {
    response.once('close', resolve);
  });
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    .end(`<!doctype html><html lang="en"><title>GPUaaS</title><p>${text}</p></html>`);
  return sent;
}

/** The program that opens web pages; `BROWSER` overrides it. */
export function browserOf(env: Environment, platform: NodeJS.Platform): string | undefined {
  if (env['BROWSER']) return env['BROWSER'];
  if (platform === 'darwin') return 'open';
  if (platform === 'win32') return 'explorer';
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? 'xdg-open' : undefined;
}

export function openBrowser(address: string, env: Environment): void {
  const program = browserOf(env, process.platform);
  if (!program) return;
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  // The address was printed too, so a browser that does not open is not an error.
  child.once('error', () => undefined);
  child.unref();
}
