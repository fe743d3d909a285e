import { tailAfterMs } from '../facts.ts';

/** A grant of which something is left. */
export interface OpenGrant {
  readonly id: string;
  readonly left: bigint;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** The last link of the ledger's chain that was counted for it. */
  readonly countedTo: bigint;
}
/** What one link of the ledger's chain did to credit. */
export interface Spending {
  readonly number: bigint;
  readonly at: Date;
  /** What was charged for usage. */
  readonly spent: bigint;
  /** What was taken back of grants, by their ids. */
  readonly takenBack: ReadonlyMap<string, bigint>;
}

/** Usage is charged a little after it happened: until then an expired grant still pays for it. */
export const closesAt = (expiresAt: Date): Date => new Date(expiresAt.getTime() + tailAfterMs);

/** Those that expire soonest are used first, then the older ones. Ids begin with their time. */
const soonestFirst = (a: OpenGrant, b: OpenGrant): number => {
  const [first, second] = [a, b].map(({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) as [
    number,
    number,
  ];
  if (first !== second) return first < second ? -1 : 1;
  return a.id < b.id ? -1 : 1;
};
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const most = (a: bigint, b: bigint): bigint => (a < b ? b : a);

/**
 * What is left of grants after these links, which come in their order. Usage burns credit before money that was paid, and the credit
 * that expires soonest first. Usage that is given back later becomes balance: it does not fill a grant again.
 */
export function burn(grants: readonly OpenGrant[], links: readonly Spending[]): readonly OpenGrant[] {
  const inOrder = grants.toSorted(soonestFirst);
  const left = new Map(inOrder.map((grant) => [grant.id, grant.left]));
  for (const link of links) {
    let spent = link.spent;
    for (const { id, countedTo, expiresAt } of inOrder) {
      if (link.number <= countedTo) continue;
      const had = left.get(id) ?? 0n;
      const taken = least(had, link.takenBack.get(id) ?? 0n);
      const burned = expiresAt === null || link.at < closesAt(expiresAt) ? least(had - taken, spent) : 0n;
      left.set(id, had - taken - burned);
      spent -= burned;
    }
  }
  const last = links.at(-1)?.number ?? 0n;
  return inOrder.map((grant) => ({
    ...grant,
    left: left.get(grant.id) ?? 0n,
    countedTo: most(last, grant.countedTo),
  }));
}
