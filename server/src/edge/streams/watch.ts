import { adminEventStream, eventStream, type Input } from '@gpuaas/contract';
import type { Mounted, Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Bell, Bells } from './bells.ts';
import { type EventLog, type Mark, type Reading, readMark, readOff, type Wanted, writeMark } from './event-log.ts';
import type { Follower, Tail } from './tail.ts';

interface Parts {
  readonly log: EventLog;
  readonly tail: Tail;
  readonly bells: Bells;
  readonly seesAccount: (who: Viewer) => boolean;
}

/**
 * Server-Sent Events of one project, and of all tenants for operators. A fast reader gets what the tail has read for
 * all; for a slow one nothing is buffered: it reads the log when it is ready.
 */
export const makeEventStreams = (parts: Parts): Mounted[] =>
  [eventStream, adminEventStream].map((route) => ({
    route,
    handle: async (who, input) => {
      const { about, types, after, follow, notifications } = (input as unknown as Input<typeof adminEventStream>).query;
      const mark = after === undefined ? undefined : readMark(after);
      if (mark instanceof Fault) return mark;
      const start = mark ? await parts.log.resume(who, mark) : await parts.log.now(who);
      const whose = who.reach === 'platform' ? 'anybody' : who.organizationId;
      const wanted = { about, types: types?.split(',') ?? [], money: parts.seesAccount(who) };
      return {
        [Symbol.asyncIterator]: () => {
          const follower = follow === false || whose === undefined ? undefined : parts.tail.follow(whose);
          const bell = follower && notifications ? parts.bells.hang(who.actorId) : undefined;
          const end = () => {
            follower?.close();
            bell?.close();
          };
          return endingAtOnce(watch(parts.log, who, start, wanted, { follower, bell }), end);
        },
      };
    },
  }));

async function* watch(
  log: EventLog,
  who: Viewer,
  start: Mark,
  wanted: Wanted,
  { follower, bell }: { readonly follower: Follower | undefined; readonly bell: Bell | undefined },
): AsyncGenerator<string> {
  let mark = start;
  let isBehind = true;
  const next = async (): Promise<Reading | undefined> => {
    const news = isBehind ? 'gap' : await follower?.next(mark.to);
    if (news === undefined || news === 'over') return undefined;
    const found = news === 'gap' ? await log.next(who, mark, wanted) : readOff(news, who, mark, wanted);
    isBehind = !found.isAll;
    return found;
  };
  yield `retry: 1000\n${frame('ready', mark, '{}')}`;
  let coming = next();
  let ringing = bell?.rung();
  for (;;) {
    const found = await (ringing ? Promise.race([coming, ringing]) : coming);
    if (found === undefined) return;
    if (found === 'rung') {
      ringing = bell?.rung();
      // It carries the reader's own position, so a client that resumes from it misses no event.
      yield frame('notifications.changed', mark, '{}');
      continue;
    }
    mark = found.mark;
    if (found.events.length > 0) {
      yield found.events.map((event) => frame(event.type, event.mark, event.envelope)).join('');
    }
    coming = next();
  }
}

/** A generator ends only where it yields. One that waits for news is woken first. */
const endingAtOnce = (pieces: AsyncGenerator<string>, tell: () => void): AsyncIterator<string> => ({
  next: () => pieces.next(),
  return: () => {
    tell();
    return pieces.return(undefined);
  },
});

/** JSON has no raw line breaks, so one line of data is enough. */
const frame = (type: string, mark: Mark, data: string): string =>
  `id: ${writeMark(mark)}\nevent: ${type}\ndata: ${data}\n\n`;
