import type { WriteTx } from '../../kernel/act.ts';
import {
  askForHost,
  type BreakerRow,
  clearBreakerAlert,
  findBreaker,
  holdBreaker,
  resetBreaker,
  type Taking,
  writeBreakerAlert,
} from './breaker-store.ts';
import type { Finding } from './evaluate-report.ts';
import { heldNamed, mostWords } from './facts.ts';

/**
 * Automation asks before it takes a host away, that is, before it quarantines its slots. It may take a share of a
 * pool within a window; when it asks for more, the breaker of the pool trips, an alert says what is held back, and automation
 * of this kind takes nothing there until a person resets it. What people do is not asked about and never refused.
 *
 * A pool is what is sold of one SKU in one region: hosts that stand in for each other. Each host counts once, however many
 * of its GPUs are concerned.
 *
 * The breaker is the last row that a transaction locks, except for slots: ask before slots are locked.
 */
export async function mayTake(
  tx: WriteTx,
  taking: Taking,
): Promise<{ readonly granted: boolean; readonly isBreakerChange: boolean }> {
  const {
    breaker,
    granted,
    is_news: isBreakerChange,
  } = await askForHost(tx, {
    ...taking,
    reason: taking.reason.slice(0, mostWords),
  });
  if (isBreakerChange) {
    const row = await findBreaker(tx, breaker);
    if (row) await writeBreakerAlert(tx, alertKind(row), sayTripped(row));
  }
  return { granted, isBreakerChange };
}

const verbs = { quarantine: 'quarantines' } as const;
const alertKind = ({ kind, id }: Pick<BreakerRow, 'kind' | 'id'>): string => `${kind}_${id.replaceAll('-', '')}`;

function sayTripped(row: BreakerRow): string {
  const named = row.held_back.slice(0, heldNamed).map(({ node_name, reason }) => `${node_name} (${reason})`);
  const others = row.held_back.length > named.length ? ` and ${row.held_back.length - named.length} more` : '';
  const pool = `${row.sku} in ${row.region}`;
  const share = `${row.taken} of ${row.hosts} hosts within ${row.window_minutes} minutes, ${row.allowed} allowed`;
  return `Automation ${verbs[row.kind]} no more hosts of ${pool} (${share}). Held back: ${named.join(', ')}${others}`.slice(
    0,
    mostWords,
  );
}

/** A person lets automation go on. What was taken within the window still counts. False when it was not tripped. */
export async function resetIn(tx: WriteTx, row: BreakerRow): Promise<boolean> {
  await holdBreaker(tx, row.id);
  if ((await resetBreaker(tx, row.id)) === 0) return false;
  await clearBreakerAlert(tx, alertKind(row));
  return true;
}

interface Covered {
  readonly effect: Finding['effect'];
  readonly slotId: string | null;
}
const blocks = ({ effect }: Covered): boolean => effect === 'blocks_sale';

/** Whether these findings block the sale of something that the same source did not block before. */
export function takesMore(findings: readonly Covered[], before: readonly Covered[]): boolean {
  const isHeld = holds(before);
  return findings.some((finding) => blocks(finding) && !isHeld(finding.slotId));
}
/** By the slots that are held by now; a finding of the whole host is held only by another such. */
function holds(before: readonly Covered[]): (slotId: string | null) => boolean {
  const slots = new Set(before.filter(blocks).map(({ slotId }) => slotId));
  return (slotId) => slots.has(null) || slots.has(slotId);
}

/** The findings as they are written while the breaker holds them back: what is new informs, what was held stays held. */
export function heldBack(findings: readonly Finding[], before: readonly Covered[]): Finding[] {
  const isHeld = holds(before);
  const slots = before.filter((each) => blocks(each) && each.slotId !== null);
  return findings.flatMap((finding): Finding[] => {
    if (!blocks(finding) || isHeld(finding.slotId)) return [finding];
    const informs: Finding = {
      ...finding,
      effect: 'informs',
      message: `Held back by the breaker of its pool: ${finding.message}`.slice(0, mostWords),
    };
    // A fault of the whole host goes on holding the slots that were held.
    return finding.slotId === null
      ? [informs, ...slots.map(({ slotId }): Finding => ({ ...finding, slotId }))]
      : [informs];
  });
}
