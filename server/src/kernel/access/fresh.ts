import type { Clock } from '../clock.ts';

/** Remembers answers for a short while. Concurrent questions share one look-up; the oldest answer makes room. */
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
      // A look-up that failed is forgotten, but not the newer one that may have taken its place.
      value.catch(() => known.get(key) === entry && known.delete(key));
      return value;
    },
    forget(key?: K): void {
      if (key === undefined) known.clear();
      else known.delete(key);
    },
  };
}
