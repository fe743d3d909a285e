import { createHash } from 'node:crypto';
import { type AppAdmission, appIngressRoutes } from '@gpuaas/contract/ingress';
import type { Clock } from '../../kernel/clock.ts';
import type { InternalClient } from '../internal/client.ts';
import type { AdmissionBudget, OverBudget } from './admission-budget.ts';

export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'session'; readonly secret: string }
  | { readonly kind: 'bearer'; readonly token: string };
export interface AdmissionQuery {
  readonly label: string;
  readonly credential: Credential;
  readonly address: string;
}
export type Admitted = Extract<AppAdmission, { decision: 'admitted' }>;

/** Decisions of the api, cached for a moment: every request needs one, and a page may make a hundred requests at once. */
export interface AdmissionCache {
  /** Undefined when the api does not answer. */
  decide(query: AdmissionQuery): Promise<AppAdmission | OverBudget | undefined>;
  /** Asks the api in any case: for exchanges that stay open. It has a connection of its own, so a flood of callers does not delay it. */
  decideUncached(query: AdmissionQuery): Promise<AppAdmission | undefined>;
  readonly cached: number;
}

/** A caller that was admitted within this time is not counted as a stranger. */
const admittedMs = 15 * 60_000;

export function makeAdmissionCache(parts: {
  readonly client: Pick<InternalClient, 'ask'>;
  /** For queries of callers, with connections of its own. */
  readonly callers: Pick<InternalClient, 'ask'>;
  readonly budget: AdmissionBudget;
  readonly clock: Clock;
  readonly cacheMs: number;
  readonly maxCached: number;
  readonly withinMs: number;
}): AdmissionCache {
  const { clock, cacheMs } = parts;
  const cached = new Map<string, { readonly answer: Promise<Answer>; readonly untilMs: number }>();
  const admittedUntil = new Map<string, number>();
  const nowMs = () => clock.now().getTime();
  const ask = async (
    client: Pick<InternalClient, 'ask'>,
    key: string,
    query: AdmissionQuery,
  ): Promise<AppAdmission | undefined> => {
    const answer = await client.ask(appIngressRoutes.admit, query, { withinMs: parts.withinMs }).catch(() => undefined);
    if (!answer?.ok) return undefined;
    admittedUntil.delete(key);
    if (answer.value.decision === 'admitted' || answer.value.decision === 'not_running') {
      setBounded(admittedUntil, key, nowMs() + admittedMs, parts.maxCached);
    }
    return answer.value;
  };
  /** The time counts from the query, not from the answer: a right that was revoked in between must not last longer. */
  const cacheAnswer = <T extends Answer>(key: string, answer: Promise<T>): Promise<T> => {
    const entry = { answer, untilMs: nowMs() + cacheMs };
    setBounded(cached, key, entry, parts.maxCached);
    // A failed query is not cached, and does not replace a later decision.
    const forget = () => cached.get(key) === entry && cached.delete(key);
    answer.then((settled) => typeof settled !== 'object' && forget()).catch(forget);
    return answer;
  };
  return {
    decide(query) {
      const key = cacheKey(query);
      const found = cached.get(key);
      if (found && found.untilMs > nowMs()) return found.answer;
      const caller = { address: query.address, isKnown: (admittedUntil.get(key) ?? 0) > nowMs() };
      return cacheAnswer(
        key,
        parts.budget.ask(caller, () => ask(parts.callers, key, query)),
      );
    },
    decideUncached(query) {
      const key = cacheKey(query);
      return cacheAnswer(key, ask(parts.client, key, query));
    },
    get cached() {
      return cached.size;
    },
  };
}

type Answer = AppAdmission | OverBudget | undefined;

/** Removes the oldest entry when the map is full: a map lists its keys in the order of insertion. */
function setBounded<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  if (map.size >= most) map.delete(map.keys().next().value ?? '');
  map.set(key, value);
}

/** A digest, so that the keys of the cache hold no credentials. */
export function cacheKey({ label, credential }: Pick<AdmissionQuery, 'label' | 'credential'>): string {
  const secret =
    credential.kind === 'bearer' ? credential.token : credential.kind === 'session' ? credential.secret : '';
  return createHash('sha256').update(`${label}\n${credential.kind}\n${secret}`).digest('base64url');
}
