import type { RunbookPage } from '@gpuaas/contract';
import { catalog } from './generated/catalog.ts';

/** A signal that ends in * stands for all that begin so: each consumer of events has a finding of its own. */
const matches = (pattern: string, signal: string): boolean =>
  pattern.endsWith('*') ? signal.startsWith(pattern.slice(0, -1)) : pattern === signal;

const leadsTo = (page: RunbookPage, signal: string): boolean =>
  page.signals.some((pattern) => matches(pattern, signal));

/** The runbook that a signal leads to, or the one of that id. */
export const findRunbook = (name: string): RunbookPage | undefined =>
  catalog.find(({ id }) => id === name) ?? catalog.find((page) => leadsTo(page, name));

export interface Wanted {
  readonly signal?: string | undefined;
  readonly category?: string | undefined;
  readonly q?: string | undefined;
}

/** Those that fit everything that is asked for, in the order of their ids. */
export function searchRunbooks({ signal, category, q }: Wanted): readonly RunbookPage[] {
  const part = q?.toLowerCase();
  return catalog.filter(
    (page) =>
      (signal === undefined || leadsTo(page, signal)) &&
      (category === undefined || page.category === category) &&
      (part === undefined ||
        [page.title, page.summary, ...page.signals].some((text) => text.toLowerCase().includes(part))),
  );
}
