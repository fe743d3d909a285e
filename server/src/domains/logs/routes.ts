import {
  allocationLogList,
  allocationLogStream,
  type LogLevel,
  logLevels,
  nodeLogList,
  nodeLogStream,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type Viewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { defaultPageSize, readCursor, writeCursor } from '../../kernel/page.ts';
import { hourMs } from '../../kernel/units.ts';
import type { Policies } from '../policy/index.ts';
import { aheadMs, searchedAtOnce } from './facts.ts';
import { followLines, type LogBell } from './follow.ts';
import { showConsoleLine, showLine, whyNoConsole } from './show.ts';
import { findMachine, type Key, type LineRow, searchLines, type Wanted } from './store.ts';

export interface LogParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly policies: Pick<Policies, 'number'>;
  readonly bell: LogBell;
}
const on = handlers<LogParts>();

interface Asked {
  readonly cursor?: string;
  readonly limit?: number;
  readonly since?: string;
  readonly until?: string;
}

const levelsFrom = (level: LogLevel | undefined): readonly LogLevel[] =>
  level === undefined ? [] : logLevels.slice(logLevels.indexOf(level));

const keyOf = ({ at, id }: Key): string => `${at.getTime()}.${id}`;
function readKey(text: string): Key {
  const [at = '', id = ''] = text.split('.');
  return { at: new Date(Number(at)), id: BigInt(id) };
}

/** Whether more is wanted than one index finds. Of an allocation, tenants see nothing but its console. */
function isSearch({ reach }: Viewer, wanted: Wanted): boolean {
  const { node_id, allocation_id, correlation_id, contains, levels, stream } = wanted;
  const named = [node_id, allocation_id, correlation_id].filter((one) => one !== undefined);
  const isOtherStream = stream !== undefined && reach === 'platform';
  return named.length > 1 || contains !== undefined || levels.length > 0 || isOtherStream;
}

/**
 * A page of lines, newest first. What no index finds is looked for in a bounded number of lines, so a page may be short, or empty, and
 * still have a next one: its cursor is where the search ended.
 */
async function readLines<T>(
  { db, clock }: LogParts,
  who: Viewer,
  of: { readonly list: string; readonly asked: Asked; readonly wanted: Wanted; readonly keptSince: Date },
  show: (row: LineRow) => T,
) {
  const { list, asked, wanted, keptSince } = of;
  const cursor = readCursor(list, asked.cursor, 'timeAndNumber');
  if (cursor instanceof Fault) return cursor;
  const since = asked.since === undefined ? keptSince : new Date(asked.since);
  const until = asked.until === undefined ? new Date(clock.now().getTime() + aheadMs) : new Date(asked.until);
  if (asked.since !== undefined && until <= since) {
    return new Fault('log_range_invalid', 'The range must end after it begins: `until` lies before `since`.');
  }
  const limit = asked.limit ?? defaultPageSize;
  const before = cursor === undefined ? { at: until, id: 0n } : readKey(cursor);
  const looked = isSearch(who, wanted) ? Math.max(searchedAtOnce, limit + 1) : limit + 1;
  const found = await db.read(who, (tx) => searchLines(tx, wanted, { since, before }, { looked, rows: limit + 1 }));
  const shown = found.rows.slice(0, limit);
  const end = found.rows.length > limit ? shown.at(-1) : found.looked >= looked ? found.edge : undefined;
  return {
    data: shown.map(show),
    next_cursor: end ? writeCursor(list, keyOf(end)) : null,
    has_more: end !== undefined,
  };
}

const listed = on(nodeLogList, (parts, who, { query }) => {
  const { node_id, allocation_id, correlation_id, stream, level, contains } = query;
  const wanted = { node_id, allocation_id, correlation_id, stream, contains, levels: levelsFrom(level) };
  return readLines(parts, who, { list: 'node-logs', asked: query, wanted, keptSince: new Date(0) }, showLine);
});

const followed = on(nodeLogStream, async (parts, who, { query }) => {
  const { after, follow, level, ...rest } = query;
  // The mount sends the pieces of a stream as they come.
  return followLines(parts, who, {
    ...{ after, waits: follow !== false, wanted: { ...rest, levels: levelsFrom(level) }, show: showLine },
  }) as unknown as string;
});

const absent = () => new Fault('allocation_not_found', 'There is no such allocation.');
const consoleOf = (allocationId: string, contains: string | undefined): Wanted => ({
  ...{ allocation_id: allocationId, stream: 'console', levels: [], contains },
});

const consoleListed = on(allocationLogList, async (parts, who, { params, query }) => {
  const machine = await parts.db.read(who, (tx) => findMachine(tx, params.allocation_id));
  if (!machine) return absent();
  const kept = parts.policies.number('logs.console_retention_hours');
  const keptSince = new Date(parts.clock.now().getTime() - kept * hourMs);
  const wanted = consoleOf(machine.id, query.contains);
  const page = await readLines(parts, who, { list: 'console-log', asked: query, wanted, keptSince }, showConsoleLine);
  if (page instanceof Fault) return page;
  const isEmpty = page.data.length === 0 && !page.has_more && query.cursor === undefined;
  return {
    ...page,
    allocation_id: machine.id,
    simulated: machine.simulated,
    unavailable: isEmpty && query.contains === undefined ? whyNoConsole(machine) : null,
    kept_since: keptSince.toISOString(),
  };
});

const consoleFollowed = on(allocationLogStream, async (parts, who, { params, query }) => {
  const machine = await parts.db.read(who, (tx) => findMachine(tx, params.allocation_id));
  if (!machine) return absent();
  return followLines(parts, who, {
    ...{ after: query.after, waits: query.follow !== false, show: showConsoleLine },
    wanted: consoleOf(machine.id, query.contains),
  }) as unknown as string;
});

export const logRoutes = (parts: LogParts): Mounted[] =>
  [listed, followed, consoleListed, consoleFollowed].map((bind) => bind(parts));
