import ipaddr from 'ipaddr.js';
import type { Clock } from '../../kernel/clock.ts';
import type { Cache } from '../../ports/cache/port.ts';

/**
 * Proxies whose X-Forwarded-For counts. None is trusted by default, because every caller can write that header. Behind
 * an unlisted proxy all callers look like one, so operators get a warning.
 */
export type IsTrustedProxy = (address: string) => boolean;

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Reads addresses and CIDR ranges with commas between. Throws a sentence that names the first wrong one. */
export function readProxies(list: string | undefined): IsTrustedProxy {
  const ranges = (list ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(readRange);
  return (address) => {
    if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some((range) => range[0].kind() === parsed.kind() && parsed.match(range as [never, number]));
  };
}

function readRange(entry: string): Range {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (!ipaddr.isValid(entry)) throw new Error(`${entry} is neither an address nor a range such as 10.0.0.0/8`);
  const address = ipaddr.process(entry);
  return [address, address instanceof ipaddr.IPv4 ? 32 : 128];
}

/** A proxy that sent forwarded headers without being listed. */
export interface UnlistedProxy {
  readonly address: string;
  readonly seenAt: Date;
}
export interface UnlistedProxies {
  note(address: string): void;
  /** The last one that any process of the installation has seen within the hour. */
  last(): Promise<UnlistedProxy | undefined>;
}

const key = 'edge:unlisted-proxy';
const rememberedMs = 60 * 60_000;
/** Other processes are notified this often at most: a header of a caller must not cost a round trip each time. */
const everyMs = 60_000;

export function makeUnlistedProxies(parts: {
  readonly cache: Pick<Cache, 'get' | 'set'>;
  readonly clock: Clock;
  readonly log: { warn(details: object, message: string): void };
}): UnlistedProxies {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return {
    note(address) {
      const now = parts.clock.now();
      if (now.getTime() - toldAtMs < everyMs) return;
      toldAtMs = now.getTime();
      parts.log.warn({ address }, 'forwarded headers are ignored: their sender is not in GPUAAS_TRUSTED_PROXIES');
      parts.cache
        .set(key, JSON.stringify({ address, seenAt: now.toISOString() }), rememberedMs)
        .catch((error: unknown) => parts.log.warn({ err: error }, 'an unlisted proxy could not be noted'));
    },
    async last() {
      const kept = await parts.cache.get(key);
      if (kept === undefined) return undefined;
      const { address, seenAt } = JSON.parse(kept) as { address: string; seenAt: string };
      return { address, seenAt: new Date(seenAt) };
    },
  };
}
