import type { Clock } from '../../kernel/clock.ts';

/**
 * Tokens that were revoked before their time. The list is a table that survives a crash; each process holds it in
 * memory, is told of additions at once and looks again on a timer, so that asking costs nothing.
 */
export interface DenyList {
  denies(tokenId: string): boolean;
}
export interface TokenDenials {
  /** Those that have not expired by themselves. */
  current(): Promise<readonly { readonly tokenId: string; readonly expiresAt: Date }[]>;
  /** Calls back when one was added. */
  onChange(listener: () => void): Promise<{ close(): Promise<void> }>;
}

const lookAgainMs = 5_000;

export async function openDenyList(parts: {
  readonly denials: TokenDenials;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}): Promise<DenyList & { close(): Promise<void> }> {
  let denied: ReadonlyMap<string, Date> = new Map();
  const stopping = new AbortController();
  // One look at a time: were two under way, the older answer could come last and let a revoked token back in.
  let tail: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  const look = async () => {
    queued = undefined;
    denied = new Map((await parts.denials.current()).map(({ tokenId, expiresAt }) => [tokenId, expiresAt]));
  };
  const load = (): Promise<void> => {
    queued ??= tail = tail.catch(() => undefined).then(look);
    return queued;
  };
  // Listening comes first, so that nothing is added between the first look and the first word.
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
    denies: (tokenId) => denied.has(tokenId),
    async close() {
      stopping.abort(new Error('closed'));
      await listening.close();
      await loop;
      await tail.catch(() => undefined);
    },
  };
}
