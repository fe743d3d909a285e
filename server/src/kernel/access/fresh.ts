import type { Clock } from '../clock.ts';

/** Caches answers for a short time. Concurrent lookups share one query; the oldest entry is evicted. */
export function makeFresh<K, V>(parts: { readonly clock: Clock; readonly ttlMs: number; readonly max: number }) {
  const known = new Map<K, { readonly value: Promise<V>; readonly untilMs: number }>();
  return {
    get(key: K, look: () => Promise<V>): Promise<V> {
      const nowMs = parts.clock.now().getTime();
      const found = known.get(key);
      if (found && found.untilMs > nowMs) return found.value;
      const value = look();
      known.delete(key);
      if (known.size >= parts.max) known.delete(known.keys().next().value as K);
      const entry = { value, untilMs: nowMs + parts.ttlMs };
      known.set(key, entry);
      // A failed lookup is dropped, but not a newer one that replaced it.
      value.catch(() => known.get(key) === entry && known.delete(key));
      return value;
    },
    forget(key?: K): void {
      if (key === undefined) known.clear();
      else known.delete(key);
    },
  };
}
