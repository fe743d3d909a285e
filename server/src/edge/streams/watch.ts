import { adminEventStream, eventStream, type Input } from '@gpuaas/contract';
import type { Mounted, Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { type EventLog, type Mark, readMark, type Wanted, writeMark } from './event-log.ts';
import type { Tail } from './tail.ts';

interface Parts {
  readonly log: EventLog;
  readonly tail: Tail;
}

/**
 * Server-Sent Events of one project, and of everything for operators. A slow reader is not buffered for: it reads the
 * log when it is ready for more.
 */
export const makeEventStreams = (parts: Parts): Mounted[] =>
  [eventStream, adminEventStream].map((route) => ({
    route,
    handle: async (who, input) => {
      const { about, types, after, follow } = (input as unknown as Input<typeof adminEventStream>).query;
      const start = after === undefined ? await parts.log.now(who) : readMark(after);
      if (start instanceof Fault) return start;
      return watch(parts, who, start, { about, types: types?.split(',') ?? [] }, follow !== false);
    },
  }));

async function* watch(
  { log, tail }: Parts,
  who: Viewer,
  start: Mark,
  wanted: Wanted,
  follow: boolean,
): AsyncGenerator<string> {
  let mark = start;
  yield `retry: 1000\n${frame('ready', mark, '{}')}`;
  for (;;) {
    // Asked before reading: what is committed while the log is read is news.
    const whose = who.reach === 'platform' ? 'anybody' : who.organizationId;
    const news = follow && whose !== undefined ? tail.news(whose) : undefined;
    const found = await log.next(who, mark, wanted);
    mark = found.mark;
    if (found.events.length > 0) {
      yield found.events.map((event) => frame(event.type, event.mark, event.envelope)).join('');
    }
    if (!found.isAll) continue;
    if (!news) return;
    await news;
  }
}

/** JSON has no raw line breaks, so one line of data is enough. */
const frame = (type: string, mark: Mark, data: string): string =>
  `id: ${writeMark(mark)}\nevent: ${type}\ndata: ${data}\n\n`;
