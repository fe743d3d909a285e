import { createHash } from 'node:crypto';
import { type AppAdmission, appIngressRoutes } from '@gpuaas/contract/ingress';
import type { Clock } from '../../kernel/clock.ts';
import type { InternalClient } from '../internal/client.ts';
import type { NotAsked, Questions } from './questions.ts';

export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'session'; readonly secret: string }
  | { readonly kind: 'bearer'; readonly token: string };
export interface Question {
  readonly label: string;
  readonly credential: Credential;
  readonly address: string;
}
export type Admitted = Extract<AppAdmission, { decision: 'admitted' }>;

/** What the api decides, remembered for a moment: each request asks, and a busy page does not ask a hundred times. */
export interface Admissions {
  /** Undefined when the api does not answer. */
  decide(question: Question): Promise<AppAdmission | NotAsked | undefined>;
  /** The same without memory, for what is open for long. It never waits behind questions of callers. */
  decideAnew(question: Question): Promise<AppAdmission | undefined>;
  readonly remembered: number;
}

/** So long a caller that was let in is no stranger. */
const knownMs = 15 * 60_000;

export function makeAdmissions(parts: {
  readonly client: Pick<InternalClient, 'ask'>;
  /** Has connections of its own. */
  readonly callers: Pick<InternalClient, 'ask'>;
  readonly questions: Questions;
  readonly clock: Clock;
  readonly rememberMs: number;
  readonly mostRemembered: number;
  readonly withinMs: number;
}): Admissions {
  const { clock, rememberMs } = parts;
  const known = new Map<string, { readonly answer: Promise<Said>; readonly untilMs: number }>();
  const letInUntil = new Map<string, number>();
  const nowMs = () => clock.now().getTime();
  const ask = async (
    client: Pick<InternalClient, 'ask'>,
    key: string,
    question: Question,
  ): Promise<AppAdmission | undefined> => {
    const said = await client
      .ask(appIngressRoutes.admit, question, { withinMs: parts.withinMs })
      .catch(() => undefined);
    if (!said?.ok) return undefined;
    letInUntil.delete(key);
    if (said.value.decision === 'admitted' || said.value.decision === 'not_running') {
      keep(letInUntil, key, nowMs() + knownMs, parts.mostRemembered);
    }
    return said.value;
  };
  /** Counted from the question, not from the answer: what was revoked in between must not live longer for it. */
  const remember = <T extends Said>(key: string, answer: Promise<T>): Promise<T> => {
    const entry = { answer, untilMs: nowMs() + rememberMs };
    keep(known, key, entry, parts.mostRemembered);
    // What is no decision is not remembered, and does not push out a later one.
    const forget = () => known.get(key) === entry && known.delete(key);
    answer.then((said) => typeof said !== 'object' && forget()).catch(forget);
    return answer;
  };
  return {
    decide(question) {
      const key = keyOf(question);
      const found = known.get(key);
      if (found && found.untilMs > nowMs()) return found.answer;
      const caller = { address: question.address, isKnown: (letInUntil.get(key) ?? 0) > nowMs() };
      return remember(
        key,
        parts.questions.ask(caller, () => ask(parts.callers, key, question)),
      );
    },
    decideAnew(question) {
      const key = keyOf(question);
      return remember(key, ask(parts.client, key, question));
    },
    get remembered() {
      return known.size;
    },
  };
}

type Said = AppAdmission | NotAsked | undefined;

/** The oldest leaves: a map gives its keys in the order in which they came. */
function keep<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  if (map.size >= most) map.delete(map.keys().next().value ?? '');
  map.set(key, value);
}

/** By digest, so that no credential lies about in memory as the name of something. */
export function keyOf({ label, credential }: Pick<Question, 'label' | 'credential'>): string {
  const secret =
    credential.kind === 'bearer' ? credential.token : credential.kind === 'session' ? credential.secret : '';
  return createHash('sha256').update(`${label}\n${credential.kind}\n${secret}`).digest('base64url');
}
