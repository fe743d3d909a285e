/** Groups dead letters that failed in the same way, so that one action serves all of them. */
export interface LetterLike {
  readonly event_type: string;
  readonly consumer: string | null;
  readonly reason: string;
  readonly organization_id: string | null;
  readonly created_at: string;
}
export interface LetterGroup<L extends LetterLike> {
  readonly name: string;
  readonly eventType: string;
  readonly consumer: string;
  readonly reason: string;
  readonly letters: readonly L[];
  readonly tenants: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

/** Numbers and ids in a reason differ between letters; the rest is the cause. */
const shapeOf = (reason: string): string =>
  reason
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, '…')
    .replaceAll(/\d+/g, '…')
    .slice(0, 200);

export function groupLetters<L extends LetterLike>(letters: readonly L[]): LetterGroup<L>[] {
  const groups = Map.groupBy(letters, (letter) =>
    [letter.consumer ?? 'the bus', letter.event_type, shapeOf(letter.reason)].join(' · '),
  );
  return [...groups].flatMap(([name, same]): LetterGroup<L>[] => {
    const [first] = same;
    if (!first) return [];
    const times = same.map(({ created_at }) => created_at).toSorted();
    return [
      {
        name,
        eventType: first.event_type,
        consumer: first.consumer ?? 'the bus',
        reason: first.reason,
        letters: same,
        tenants: new Set(same.map(({ organization_id }) => organization_id ?? '')).size,
        firstAt: times[0] ?? first.created_at,
        lastAt: times.at(-1) ?? first.created_at,
      },
    ];
  });
}
