import { GpuaasError } from '@gpuaas/sdk';
import { type Credential, keepCredential, readTokens } from '../account/credentials.ts';
import { findRunning, keepProfile, type Profile } from '../account/profile.ts';
import { openClient } from '../account/session.ts';
import { type Run, type Session, type Surroundings, textOf } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { browserOf, signInWithBrowser } from '../login/browser.ts';
import { signInWithDevice } from '../login/device.ts';
import { assertFresh, notAskedAgain } from '../login/fresh.ts';
import { formatOf } from '../show/output.ts';

/** Calls the API with the new sign-in at once, so that a token that does not work is never stored. */
export const login: Run = async (session) => {
  const { env, stderr, stdout } = session.around;
  const profile = await chooseInstallation(session, await session.profile());
  const say = (line: string) => void stderr.write(`${line}\n`);
  const who = async (stepUp: boolean) => {
    const credential = await signIn(session, profile, stepUp, say);
    const token = credential.kind === 'token' ? credential.token : credential.access_token;
    return { credential, me: await openClient(session, profile, token).me.get() };
  };
  const isAsked = session.is('step-up') || session.is('second-factor');
  /** The provider was asked for the password, and the api still refuses what came of it. */
  const stillRefused = async (error: unknown): Promise<never> => {
    if (!asksForNewSignIn(error)) throw error;
    throw notAskedAgain(await openClient(session, profile, '').health.signInGet());
  };
  const { credential, me } = await who(isAsked).catch((error: unknown) => {
    if (isAsked || !asksForNewSignIn(error)) return stillRefused(error);
    say('Your earlier sign-ins were revoked. Sign in with your password once more:');
    return who(true).catch(stillRefused);
  });
  const where = await keepCredential(profile, env, credential);
  await keepProfile(profile, env);
  if (formatOf(session) === 'table') stdout.write(`Signed in to ${profile.baseUrl} as ${me.posix.username}.\n`);
  else stdout.write(`${JSON.stringify({ base_url: profile.baseUrl, id: me.id })}\n`);
  if (where !== 'keyring')
    session.say(`There is no keyring here: the sign-in is kept in ${where}, which only you can read.`);
  return exitCodes.ok;
};

/** A stored address of this machine is out of date when another installation runs here now. */
async function chooseInstallation(session: Session, profile: Profile): Promise<Profile> {
  const { env } = session.around;
  const isNamed = session.text('base-url') !== undefined || Boolean(env['GPUAAS_BASE_URL']);
  const isLocal = /^http:\/\/(?:127\.|localhost|\[::1\])/.test(profile.baseUrl);
  const running = isNamed || !isLocal ? undefined : await findRunning(env);
  if (running === undefined || running === profile.baseUrl) return profile;
  session.say(`Signing in to ${running}, which runs on this machine. Use --base-url for another one.`);
  return { ...profile, baseUrl: running, project: undefined, region: undefined };
}

/** The provider still accepts a session that was revoked here: it has to ask for the password again. */
const asksForNewSignIn = (error: unknown): boolean =>
  error instanceof GpuaasError &&
  error.code === 'token_invalid' &&
  (error.details as { authorization_parameters?: { prompt?: string } } | undefined)?.authorization_parameters
    ?.prompt === 'login';

async function signIn(
  session: Session,
  profile: Profile,
  stepUp: boolean,
  say: (line: string) => void,
): Promise<Credential> {
  const { given, around } = session;
  const { baseUrl } = profile;
  const source = textOf(given, 'token');
  const chosen = ['browser', 'device', 'token'].filter((name) => given.values[name] !== undefined);
  if (chosen.length > 1) throw usageFailure(`--${chosen.join(' and --')} contradict each other: give one of them.`);
  if (source !== undefined) {
    if (source !== '-') {
      throw usageFailure(
        'A token on the command line can be seen by every user of this machine.',
        'Send it to standard input: gpuaas login --token - < token.txt',
      );
    }
    const token = (await readAll(around.stdin)).trim();
    if (!/^[\x21-\x7e]{1,8192}$/.test(token)) throw usageFailure('Standard input holds no token.');
    return { base_url: baseUrl, kind: 'token', token };
  }
  const found = await openClient(session, profile, '').health.signInGet();
  const byBrowser = given.values['browser'] === true || (given.values['device'] !== true && hasBrowser(around));
  const secondFactor = session.is('second-factor');
  const beganMs = performance.now();
  const tokens = byBrowser
    ? await signInWithBrowser(found, { stepUp, secondFactor, env: around.env, say })
    : await signInWithDevice(found, { stepUp, secondFactor, say });
  if (stepUp) assertFresh(tokens['access_token'], (performance.now() - beganMs) / 1_000, found);
  return {
    base_url: baseUrl,
    kind: 'sign_in',
    client_id: found.client_id,
    token_endpoint: found.token_endpoint,
    revocation_endpoint: found.revocation_endpoint,
    ...readTokens(tokens),
  };
}

/** A person at this machine with a display. Over SSH the browser would open on the wrong machine. */
const hasBrowser = ({ env, stderr }: Surroundings): boolean =>
  stderr.isTTY === true && !env['SSH_CONNECTION'] && browserOf(env, process.platform) !== undefined;

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
