/**
 * Pings of several clients go to one agent and come back with their ids. Clients choose their ids themselves, so the home gives
 * each ping one of its own and remembers whose it was. The oldest are forgotten: an answer that late is of no use.
 */
export interface Pings<By> {
  keep(by: By, id: string): string;
  take(id: string): { readonly by: By; readonly id: string } | undefined;
  forget(by: By): void;
}

const mostKept = 128;

export function makePings<By>(): Pings<By> {
  const kept = new Map<string, { by: By; id: string }>();
  let count = 0;
  return {
    keep(by, id) {
      count += 1;
      const own = `p${count.toString(36)}`;
      kept.set(own, { by, id });
      const oldest = kept.size > mostKept ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      return own;
    },
    take(id) {
      const found = kept.get(id);
      kept.delete(id);
      return found;
    },
    forget(by) {
      for (const [id, one] of kept) if (one.by === by) kept.delete(id);
    },
  };
}
