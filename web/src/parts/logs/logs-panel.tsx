import type { CallOptions, ConsoleLine, LogLine, StreamedEvent } from '@gpuaas/sdk';
import { useEffect, useRef, useState } from 'react';
import { useAsk } from '../../client/ask.ts';
import { letGo } from '../../client/let-go.ts';
import { spellMoment } from '../../words/time.ts';
import { SimulatedChip } from '../chip.tsx';
import { WordFilter } from '../filter.tsx';
import { Panel } from '../page.tsx';
import { Empty, Loading, Problem } from '../states.tsx';

export type Line = ConsoleLine | LogLine;
export interface LinesAnswer {
  readonly data: readonly Line[];
  readonly simulated?: boolean;
  /** Why there are no lines. */
  readonly unavailable?: string | null;
}
interface Wanted {
  readonly contains?: string;
}

/** Lines that one answer holds, and that the page keeps while it follows. */
const [asked, kept] = [200, 2_000];

/** The last lines of a node, a machine or a request, oldest first, and new ones while they are followed. */
export function LogsPanel({
  title = 'Logs',
  about,
  nothing,
  ask,
  follow,
}: {
  title?: string;
  about: string;
  /** What an empty list means, unless the answer says why. */
  nothing: string;
  ask(wanted: Wanted & { readonly limit: number }, options: CallOptions): PromiseLike<LinesAnswer>;
  follow(wanted: Wanted & { readonly after?: string }, options: CallOptions): AsyncIterable<StreamedEvent<Line>>;
}) {
  const [contains, setContains] = useState<string>();
  const [isFollowing, setFollowing] = useState(false);
  const wanted = contains === undefined ? {} : { contains };
  const answer = useAsk(
    ['logs', about, contains ?? ''],
    (options) => ask({ ...wanted, limit: asked }, options),
    // Lines that arrive while the panel is followed come over its stream.
    { keep: true, ...(isFollowing ? {} : { everyMs: 30_000 }) },
  );
  const before = answer.data?.data.toReversed() ?? [];
  const news = useFollowed(isFollowing && answer.isSuccess, `${about} ${contains ?? ''}`, (signal) =>
    follow({ ...wanted, ...lastOf(before) }, { signal }),
  );
  const known = new Set(before.map(({ id }) => id));
  const lines = [...before, ...news.filter(({ id }) => !known.has(id))].slice(-kept);
  return (
    <Panel
      title={title}
      aside={
        <span className="flex flex-wrap items-center gap-2">
          <SimulatedChip of={answer.data?.simulated === true ? { simulated: true } : null} />
          <WordFilter label="Lines with this text" placeholder="contains…" value={contains} onChange={setContains} />
          <label className="flex items-center gap-1.5 text-sm">
            <input type="checkbox" checked={isFollowing} onChange={(event) => setFollowing(event.target.checked)} />
            Follow
          </label>
        </span>
      }
    >
      {answer.error && (
        <div className="mb-4">
          <Problem error={answer.error} again={() => void answer.refetch()} />
        </div>
      )}
      {lines.length > 0 ? (
        <Lines lines={lines} isFollowing={isFollowing} />
      ) : answer.data ? (
        <Empty icon="activity" title="No lines">
          <p>{contains === undefined ? (answer.data.unavailable ?? nothing) : 'No line has this text in it.'}</p>
        </Empty>
      ) : (
        !answer.error && <Loading rows={4} label="Loading the log" />
      )}
    </Panel>
  );
}

/** The id of the line that arrived last: what is followed begins behind it. */
function lastOf(lines: readonly Line[]): { readonly after?: string } {
  const last = lines
    .map(({ id }) => BigInt(id))
    .toSorted((a, b) => Number(a - b))
    .at(-1);
  return last === undefined ? {} : { after: String(last) };
}

/** Lines of a stream for as long as it is wanted. Another subject begins anew. */
function useFollowed(
  isOn: boolean,
  subject: string,
  open: (signal: AbortSignal) => AsyncIterable<StreamedEvent<Line>>,
): readonly Line[] {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const opening = useRef(open);
  opening.current = open;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another subject is another stream
  useEffect(() => {
    setLines([]);
    if (!isOn) return undefined;
    const leaving = new AbortController();
    const read = async () => {
      for await (const { data } of opening.current(leaving.signal)) setLines((all) => [...all, data].slice(-kept));
    };
    letGo(read());
    return () => leaving.abort();
  }, [isOn, subject]);
  return lines;
}

const looks: Readonly<Record<LogLine['level'], string>> = {
  debug: 'text-dim',
  info: '',
  warn: 'text-warn',
  error: 'text-bad',
};

function Lines({ lines, isFollowing }: { lines: readonly Line[]; isFollowing: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const last = lines.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last line is what moves the view
  useEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [last]);
  return (
    <div
      ref={box}
      role="log"
      aria-live={isFollowing ? 'polite' : 'off'}
      aria-label="Lines, oldest first"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md bg-sunk p-3 font-mono text-xs leading-5"
    >
      {lines.map((line) => (
        <p key={line.id} className={`whitespace-pre-wrap break-all ${'level' in line ? looks[line.level] : ''}`}>
          <time dateTime={line.at} className="text-dim">
            {spellMoment(line.at)}
          </time>{' '}
          {'stream' in line && line.stream === 'console' && <span className="text-dim">[console] </span>}
          {line.line}
        </p>
      ))}
    </div>
  );
}
