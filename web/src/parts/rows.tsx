import { type ReactNode, useEffect, useRef } from 'react';
import type { List } from '../client/ask.ts';
import { onKey } from '../shell/keys.ts';
import { Button } from './button.tsx';
import { Loading, Problem } from './states.tsx';

export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => ReactNode;
  readonly end?: boolean;
}

/** A list in each of its states: loading, refused, empty, full, and with more pages. */
export function Rows<T>({
  label,
  list,
  columns,
  keyOf,
  empty,
}: {
  label: string;
  list: List<T>;
  columns: readonly Column<T>[];
  keyOf: (row: T) => string;
  empty: ReactNode;
}) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const ends = [onKey('j', () => stepRow(table.current, 1)), onKey('k', () => stepRow(table.current, -1))];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  if (list.error && !list.rows) {
    return (
      <div className="panel p-4">
        <Problem error={list.error} again={list.again} />
      </div>
    );
  }
  if (!list.rows) {
    return (
      <div className="panel">
        <Loading rows={5} label={`Loading ${label}`} />
      </div>
    );
  }
  if (list.rows.length === 0) return <div className="panel">{empty}</div>;
  return (
    <div className="panel overflow-hidden">
      {list.error && <Problem error={list.error} again={list.again} />}
      {/* A table that does not fit is scrolled: nothing of it, least of all its buttons, is cut off. */}
      <div className="overflow-x-auto">
        <table ref={table} className="rows w-full text-start">
          <caption className="sr-only">{label}</caption>
          <thead>
            <tr className="border-b border-edge text-[13px] text-dim">
              {columns.map(({ head, end }, index) => (
                <th
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                  key={index}
                  scope="col"
                  className={`font-medium ${end ? 'text-end' : 'text-start'}`}
                >
                  {head || <span className="sr-only">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="min-[721px]:[&>tr:not(:last-child)]:border-b min-[721px]:[&>tr]:border-edge">
            {list.rows.map((row) => (
              <tr key={keyOf(row)} className="hover:bg-sunk/50">
                {columns.map(({ head, cell, end }, index) => (
                  <td
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                    key={index}
                    data-label={head}
                    className={end ? 'text-end' : ''}
                  >
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {list.hasMore && (
        <div className="border-t border-edge p-3 text-center">
          <Button onClick={list.more} busy={list.isFetchingMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  );
}

/** Moves between rows by key: the link of a row gets the focus, so that Enter opens it. */
function stepRow(table: HTMLTableElement | null, step: 1 | -1): void {
  const targets = [...(table?.tBodies[0]?.rows ?? [])].flatMap(
    (row) => row.querySelector<HTMLElement>('a, button') ?? [],
  );
  const at = targets.findIndex((target) => target.closest('tr')?.contains(document.activeElement));
  targets[at < 0 ? (step > 0 ? 0 : targets.length - 1) : Math.max(0, Math.min(targets.length - 1, at + step))]?.focus();
}

/** A list without pages, in the shape of one with pages. */
export const wholeList = <T,>(query: {
  data: { readonly data: readonly T[] } | undefined;
  error: Error | null;
  isLoading: boolean;
  refetch(): unknown;
}): List<T> => ({
  rows: query.data?.data,
  error: query.error,
  isLoading: query.isLoading,
  hasMore: false,
  isFetchingMore: false,
  more: () => undefined,
  again: () => void query.refetch(),
});
