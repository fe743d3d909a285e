import { hash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Jar } from './cookie.ts';
import type { IssuerClient } from './issuer-client.ts';
import { readReturnTo } from './return-to.ts';
import type { Seal } from './sessions.ts';

/** What a browser keeps while it is away at the issuer. */
export interface Question {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly stepUp: boolean;
  readonly askedAt: string;
}
export interface QuestionParts {
  readonly publicUrl: string;
  /** How the issuer is asked for a sign-in with a second factor. */
  readonly secondFactorAcr: string | undefined;
  readonly jar: Jar;
  readonly seal: Seal;
  readonly client: IssuerClient;
  readonly clock: Clock;
  readonly ids: Ids;
}

const questionPlace = 'console login';
const answerWithinMs = 15 * 60_000;
export const secretBytes = 32;
const scope = 'openid profile email';

/** Where the issuer sends the browser back to. */
export const redirectUri = (publicUrl: string): string => `${publicUrl}/auth/callback`;

/** Begins a sign-in: answers where the browser goes, and the cookie that it keeps meanwhile. */
export async function askIssuer(
  parts: QuestionParts,
  query: Readonly<Record<string, unknown>>,
): Promise<{ readonly address: string; readonly cookie: string }> {
  const { client, ids, jar, publicUrl } = parts;
  const wantsSecondFactor = query['step_up'] === 'second-factor';
  const question: Question = {
    state: ids.secret(secretBytes),
    nonce: ids.secret(secretBytes),
    verifier: ids.secret(secretBytes),
    returnTo: readReturnTo(query['return_to'], publicUrl),
    stepUp: query['step_up'] === '1' || wantsSecondFactor,
    askedAt: parts.clock.now().toISOString(),
  };
  const address = new URL((await client.endpoints()).authorize);
  for (const [name, value] of Object.entries({
    client_id: client.id,
    response_type: 'code',
    redirect_uri: redirectUri(publicUrl),
    scope,
    state: question.state,
    nonce: question.nonce,
    code_challenge: hash('sha256', question.verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...(question.stepUp && { prompt: 'login', max_age: '0' }),
    ...(wantsSecondFactor && parts.secondFactorAcr && { acr_values: parts.secondFactorAcr }),
  })) {
    address.searchParams.set(name, value);
  }
  const sealed = Buffer.from(parts.seal.close(JSON.stringify(question), questionPlace)).toString('base64url');
  return { address: address.href, cookie: jar.login.set(sealed, answerWithinMs / 1_000) };
}

/** The question that this browser was given; undefined when there is none, or it is too old. */
export function readQuestion(
  { jar, seal, clock }: Pick<QuestionParts, 'jar' | 'seal' | 'clock'>,
  cookies: string | undefined,
): Question | undefined {
  const sealed = jar.login.read(cookies);
  if (!sealed) return undefined;
  try {
    const text = seal.open(Buffer.from(sealed, 'base64url'), questionPlace);
    const question = JSON.parse(text) as Question;
    return clock.now().getTime() - Date.parse(question.askedAt) <= answerWithinMs ? question : undefined;
  } catch {
    return undefined;
  }
}
