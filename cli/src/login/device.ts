import { setTimeout as sleep } from 'node:timers/promises';
import { send } from '../call.ts';
import { exitCodes, Failure } from '../failure.ts';
import { askFor, type Discovered, makeChallenge, refused, type TokenAnswer } from './discover.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const slowerBySeconds = 5;

/** Sign-in with the browser of another machine: the person enters a code there, and this program polls. */
export async function signInWithDevice(
  found: Discovered,
  options: { readonly stepUp: boolean; readonly secondFactor: boolean; readonly say: (line: string) => void },
): Promise<TokenAnswer> {
  const { say } = options;
  const { client_id, scope, device_authorization_endpoint: endpoint, token_endpoint } = found;
  if (!endpoint) {
    throw new Failure(exitCodes.usage, 'The identity provider of this installation does not support device codes.', {
      next: 'Use gpuaas login --browser, or gpuaas login --token - with a personal token.',
    });
  }
  const { verifier, challenge } = makeChallenge();
  const begun = await send(endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      client_id,
      scope,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...askFor(found, options),
    }),
  });
  if (begun.status !== 200) throw refused(begun.body?.error, begun.body?.error_description);
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in } = begun.body as {
    device_code: string;
    user_code: string;
    verification_uri: string;
    verification_uri_complete?: string;
    expires_in: number;
  };
  say('Open this address in a browser, on any machine:');
  say(`\n  ${verification_uri_complete ?? verification_uri}\n`);
  say(`and check that it shows this code: ${user_code}`);
  let seconds = (begun.body as { interval?: number }).interval ?? slowerBySeconds;
  const deadline = performance.now() + expires_in * 1_000;
  while (performance.now() < deadline) {
    await sleep(seconds * 1_000);
    const answer = await send(token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: grant, client_id, device_code, code_verifier: verifier }),
    });
    if (answer.status === 200) return answer.body as TokenAnswer;
    const error: unknown = answer.body?.error;
    if (error === 'slow_down') seconds += slowerBySeconds;
    else if (error !== 'authorization_pending') throw refused(error, answer.body?.error_description);
  }
  throw new Failure(exitCodes.signIn, 'The code has expired.', { next: 'Try again with gpuaas login.' });
}
