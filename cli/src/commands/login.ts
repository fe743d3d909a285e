import { expectOk, send } from '../call.ts';
import { type Command, type Given, type Surroundings, textOf } from '../command.ts';
import { type Credential, keepCredential, readTokens } from '../credentials.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { browserOf, signInWithBrowser } from '../login/browser.ts';
import { signInWithDevice } from '../login/device.ts';
import { discover } from '../login/discover.ts';
import { keepProfile, readProfile } from '../profile.ts';

export const command: Command = {
  usage: '[--browser | --device | --token -]',
  description:
    'Sign in: with the browser of this machine, or where there is none with a code that is typed into another one.',
  options: {
    browser: { type: 'boolean' },
    device: { type: 'boolean' },
    token: { type: 'string' },
    'step-up': { type: 'boolean' },
  },
  help: [
    ['--browser', 'with the browser of this machine'],
    ['--device', 'with a code, in a browser anywhere'],
    ['--token -', 'with a token that is read from standard input'],
    ['--step-up', 'prove anew who you are, for an operation that asks for it'],
  ],
  examples: [
    'gpuaas login',
    'gpuaas login --base-url https://gpu.example.com --profile work',
    'gpuaas login --device',
    'gpuaas login --token - < token.txt',
  ],
  async run(given, around) {
    const { env, stderr, stdout } = around;
    const profile = await readProfile(given, env);
    const say = (line: string) => void stderr.write(`${line}\n`);
    const credential = await signIn(given, around, profile.baseUrl, say);
    const token = credential.kind === 'token' ? credential.token : credential.access_token;
    const me = await expectOk(send(`${profile.baseUrl}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } }));
    await keepCredential(profile, env, credential);
    await keepProfile(profile, env);
    if (given.values['json']) stdout.write(`${JSON.stringify({ base_url: profile.baseUrl, id: me.body.id })}\n`);
    else stdout.write(`Signed in to ${profile.baseUrl} as ${me.body.posix.username}.\n`);
    return exitCodes.ok;
  },
};

async function signIn(
  given: Given,
  around: Surroundings,
  baseUrl: string,
  say: (line: string) => void,
): Promise<Credential> {
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
  const found = await discover(baseUrl);
  const stepUp = given.values['step-up'] === true;
  const byBrowser = given.values['browser'] === true || (given.values['device'] !== true && hasBrowser(around));
  const tokens = byBrowser
    ? await signInWithBrowser(found, { stepUp, env: around.env, say })
    : await signInWithDevice(found, say);
  return {
    base_url: baseUrl,
    kind: 'sign_in',
    client_id: found.client_id,
    token_endpoint: found.token_endpoint,
    revocation_endpoint: found.revocation_endpoint,
    ...readTokens(tokens),
  };
}

/** A person at this machine, and a screen to show a page on. Over SSH the browser would open on the wrong one. */
const hasBrowser = ({ env, stderr }: Surroundings): boolean =>
  stderr.isTTY === true && !env['SSH_CONNECTION'] && browserOf(env, process.platform) !== undefined;

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}
