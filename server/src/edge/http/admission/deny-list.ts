import { isBelow, type ShownSignIn, type SignInFloor } from '../../../kernel/access/revocation.ts';
import type { Clock } from '../../../kernel/clock.ts';

/**
 * Recent revocations: one token, one session, or every sign-in of a person before a time. Each process holds the list
 * in memory, receives additions at once and reloads it on a timer, so a check costs no I/O. The list makes a revocation
 * fast; a check at sign-in makes it permanent.
 */
export interface DenyList {
  denies(shown: Shown): boolean;
}
/** A credential: a token, its sign-in, and its person. */
export interface Shown extends ShownSignIn {
  readonly personId: string;
  /** False for credentials that outlive sign-ins: personal tokens and service accounts. */
  readonly isSignIn: boolean;
}
export type Denial =
  | { readonly kind: 'token'; readonly subject: string }
  | { readonly kind: 'session'; readonly subject: string }
  | {
      readonly kind: 'person';
      readonly subject: string;
      readonly floor: SignInFloor;
    };
export interface TokenDenials {
  /** Those that have not expired by themselves. */
  current(): Promise<readonly Denial[]>;
  /** Calls back when one was added. */
  onChange(listener: () => void): Promise<{ close(): Promise<void> }>;
}

/** Session ids are chosen by issuers, so they are unique per person only. */
export const sessionSubject = (personId: string, sessionId: string): string => `${personId} ${sessionId}`;

const lookAgainMs = 5_000;

interface Held {
  readonly tokens: ReadonlySet<string>;
  readonly sessions: ReadonlySet<string>;
  readonly people: ReadonlyMap<string, Extract<Denial, { kind: 'person' }>>;
}
const hold = (denials: readonly Denial[]): Held => ({
  tokens: new Set(denials.flatMap((denial) => (denial.kind === 'token' ? [denial.subject] : []))),
  sessions: new Set(denials.flatMap((denial) => (denial.kind === 'session' ? [denial.subject] : []))),
  people: new Map(denials.flatMap((denial) => (denial.kind === 'person' ? [[denial.subject, denial] as const] : []))),
});

function isDenied({ tokens, sessions, people }: Held, shown: Shown): boolean {
  const { personId, tokenId, sessionId } = shown;
  if (tokenId !== undefined && tokens.has(tokenId)) return true;
  if (sessionId !== undefined && sessions.has(sessionSubject(personId, sessionId))) return true;
  const person = people.get(personId);
  return person !== undefined && shown.isSignIn && isBelow(person.floor, shown);
}

export async function openDenyList(parts: {
  readonly denials: TokenDenials;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}): Promise<DenyList & { close(): Promise<void> }> {
  let held = hold([]);
  const stopping = new AbortController();
  // One load at a time: with two, the older answer could arrive last and drop a revocation.
  let tail: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  const look = async () => {
    queued = undefined;
    held = hold(await parts.denials.current());
  };
  const load = (): Promise<void> => {
    queued ??= tail = tail.catch(() => undefined).then(look);
    return queued;
  };
  // Subscribes first, so that no addition is missed between the first load and the subscription.
  const listening = await parts.denials.onChange(() => void load().catch(parts.onFault));
  try {
    await load();
  } catch (error) {
    await listening.close();
    throw error;
  }
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await parts.clock.sleep(lookAgainMs, stopping.signal).catch(() => undefined);
      if (!stopping.signal.aborted) await load().catch(parts.onFault);
    }
  })();
  return {
    denies: (shown) => isDenied(held, shown),
    async close() {
      stopping.abort(new Error('closed'));
      await listening.close();
      await loop;
      await tail.catch(() => undefined);
    },
  };
}
