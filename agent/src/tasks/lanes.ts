/**
 * Who may work at the same time. Tasks of one allocation come one after the other, in the order in which they arrived;
 * different allocations do not wait for each other. A task about the node as a whole has the node to itself: it waits
 * for everything before it, and everything behind it waits for it, so that neither starves. Looking disturbs nobody,
 * except while the node is being turned inside out. A terminal waits for no other work of its allocation: a person is
 * waiting for it. Containers of one allocation wait for each other, and nothing else of it waits for them: an image may take an
 * hour. Waiting until a container answers holds up nothing.
 */
export type Lane =
  | { readonly kind: 'lease'; readonly allocationId: string }
  | { readonly kind: 'terminal'; readonly sessionId: string }
  | { readonly kind: 'containers'; readonly allocationId: string }
  | { readonly kind: 'readiness'; readonly workloadId: string }
  | { readonly kind: 'node' }
  | { readonly kind: 'look' };

export interface Lanes {
  /** Runs when the lane is free. The work does not throw: it ends in a result, whatever happens. */
  enter(lane: Lane, work: () => Promise<void>): Promise<void>;
  /** How many are in it or wait for it. */
  readonly size: number;
  /** Resolves when nobody is left. */
  empty(): Promise<void>;
}

export function makeLanes(): Lanes {
  const present = new Set<Promise<void>>();
  const lastOf = new Map<string, Promise<void>>();
  let lastNode: Promise<void> = Promise.resolve();
  const keep = (entered: Promise<void>) => {
    present.add(entered);
    return entered.finally(() => present.delete(entered));
  };
  return {
    enter(lane, work) {
      if (lane.kind === 'node') {
        const before = Promise.allSettled([...present, lastNode]);
        const mine = keep(before.then(work));
        lastNode = mine.catch(() => undefined);
        return mine;
      }
      const name = nameOf(lane);
      const before = Promise.allSettled([lastOf.get(name), lastNode]);
      const mine = keep(before.then(work));
      const settled = mine.catch(() => undefined);
      lastOf.set(name, settled);
      // A lane that nobody waits in is forgotten, or every allocation there ever was would stay in memory.
      settled.finally(() => (lastOf.get(name) === settled ? lastOf.delete(name) : false)).catch(() => undefined);
      return mine;
    },
    get size() {
      return present.size;
    },
    async empty() {
      while (present.size > 0) await Promise.allSettled([...present]);
    },
  };
}

const nameOf = (lane: Exclude<Lane, { readonly kind: 'node' }>): string => {
  if (lane.kind === 'lease') return lane.allocationId;
  if (lane.kind === 'containers') return `containers ${lane.allocationId}`;
  if (lane.kind === 'readiness') return `readiness ${lane.workloadId}`;
  return lane.kind === 'terminal' ? `terminal ${lane.sessionId}` : 'look';
};
