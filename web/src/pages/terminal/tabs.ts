import type { TerminalSession } from '@gpuaas/sdk';
import type { LineState, Mode } from './shell-line.ts';

/** A tab of the page: a shell that is open, is being opened, or is about to be joined. */
export interface Tab {
  readonly key: number;
  readonly mode: Mode;
  readonly sessionId: string | undefined;
  readonly name: string;
  readonly title: string;
  readonly state: LineState;
}
export const mostTabs = 4;

/** A reload of this browser tab comes back as the writer that it was, without a question. */
const kept = (allocationId: string) => `terminal-tabs:${allocationId}`;
export function keepSessions(allocationId: string, tabs: readonly Tab[]): void {
  const ids = tabs.flatMap(({ sessionId, state }) => (sessionId && state.phase !== 'ended' ? [sessionId] : []));
  try {
    sessionStorage.setItem(kept(allocationId), JSON.stringify(ids));
  } catch {
    // Without storage a reload asks before it takes a shell over.
  }
}
export function readKept(allocationId: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(kept(allocationId)) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/** What the page opens with; the first that exists: the session in the address, those of this browser tab, my latest one, a new shell. */
export function firstTabs(
  live: readonly TerminalSession[],
  me: string,
  keptIds: readonly string[],
  wanted: string | undefined,
): readonly (readonly [Mode, string | undefined])[] {
  const isLive = (id: string) => live.some((session) => session.id === id);
  const mine = live.filter(({ user_id }) => user_id === me);
  if (wanted !== undefined && isLive(wanted)) {
    const mode = keptIds.includes(wanted) ? 'take_over' : mine.some(({ id }) => id === wanted) ? 'join' : 'watch';
    return [[mode, wanted]];
  }
  const again = keptIds.filter(isLive).slice(0, mostTabs);
  if (again.length > 0) return again.map((id) => ['take_over', id] as const);
  const [latest] = mine;
  return [latest ? ['join', latest.id] : ['open', undefined]];
}
