import type { ConsoleLine, LogLine } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { isId, resolveAllocation, resolveNode } from '../resolve.ts';
import { formatOf, showRows } from '../show/output.ts';
import { jsonOf, plain, readDuration, showTime } from '../show/value.ts';

const usualLines = 200;
/** Shown before new ones with --follow, so that the first of them can be understood. */
const linesBefore = 20;
const mostPerPage = 200;

type Line = ConsoleLine | LogLine;
interface Page {
  readonly data: readonly Line[];
  readonly next_cursor: string | null;
}

/** What the machine of an allocation wrote on its console. */
export const logs: Run = async (session) => {
  const { logs: api } = await session.api();
  const allocation_id = await resolveAllocation(session);
  const contains = session.text('contains');
  const wanted = { allocation_id, ...(contains !== undefined && { contains }) };
  const range = rangeOf(session);
  let why: string | null = null;
  const last = await showLast(session, async (cursor, limit) => {
    const page = await api.allocationList({ ...wanted, ...range, ...(cursor !== undefined && { cursor }), limit });
    why ??= page.unavailable;
    return page;
  });
  if (why !== null) session.say(why);
  if (!session.is('follow')) return exitCodes.ok;
  for await (const { data } of api.allocationStream({ ...wanted, ...afterOf(last) })) print(session, data);
  return exitCodes.ok;
};

/** Lines of nodes, of the machines on them, or of one request, for operators. */
export const opsLogs: Run = async (session) => {
  const { adminLogs: api } = await session.api();
  const [level, stream] = [session.text('level') as LogLine['level'], session.text('stream') as LogLine['stream']];
  const [correlation, contains] = [session.text('correlation'), session.text('contains')];
  const named = session.given.positionals[0];
  const allocation = session.text('allocation');
  const wanted = {
    ...(named !== undefined && { node_id: await resolveNode(session) }),
    ...(allocation !== undefined && { allocation_id: idOf(allocation) }),
    ...(correlation !== undefined && { correlation_id: correlation }),
    ...(contains !== undefined && { contains }),
    ...(level !== undefined && { level }),
    ...(stream !== undefined && { stream }),
  };
  const range = rangeOf(session);
  const last = await showLast(session, (cursor, limit) =>
    Promise.resolve(api.nodeList({ ...wanted, ...range, ...(cursor !== undefined && { cursor }), limit })),
  );
  if (last === undefined && !session.is('follow')) session.say('No line fits.');
  if (!session.is('follow')) return exitCodes.ok;
  for await (const { data } of api.nodeStream({ ...wanted, ...afterOf(last) })) print(session, data);
  return exitCodes.ok;
};

/** Names of allocations are names within a project, and operators look across all of them. */
function idOf(text: string): string {
  if (isId(text)) return text;
  throw new Failure(exitCodes.usage, '--allocation wants the id of an allocation.', {
    next: 'gpuaas ops allocations shows them.',
  });
}

/** Prints the last lines, oldest first, and answers the id of the one that arrived last. */
async function showLast(
  session: Session,
  read: (cursor: string | undefined, limit: number) => Promise<Page>,
): Promise<bigint | undefined> {
  const asked = session.text('limit');
  const most = asked === undefined ? (session.is('follow') ? linesBefore : usualLines) : Number(asked);
  if (!Number.isSafeInteger(most) || most < 1) throw new Failure(exitCodes.usage, '--limit wants a number above 0.');
  const lines: Line[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor, Math.min(mostPerPage, most - lines.length));
    lines.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && lines.length < most);
  const oldestFirst = lines.toReversed();
  // Followed lines have no end, so each is a document of its own; a list is one.
  if (formatOf(session) !== 'table' && !session.is('follow')) showRows(session, oldestFirst, ['at', 'line'], '');
  else for (const line of oldestFirst) print(session, line);
  return lines
    .map(({ id }) => BigInt(id))
    .toSorted((a, b) => Number(a - b))
    .at(-1);
}
const afterOf = (last: bigint | undefined) => (last === undefined ? {} : { after: String(last) });

function rangeOf(session: Session): { readonly since?: string; readonly until?: string } {
  const [since, until] = [timeOf(session, 'since'), timeOf(session, 'until')];
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** A time, or how long ago. */
function timeOf(session: Session, flag: string): string | undefined {
  const text = session.text(flag);
  if (text === undefined) return undefined;
  const seconds = readDuration(text);
  const at = seconds === undefined ? Date.parse(text) : session.now() - seconds * 1_000;
  if (Number.isNaN(at)) {
    throw new Failure(exitCodes.usage, `--${flag} wants a time, or how long ago: 2026-11-18T12:00Z, 30m, 2h.`);
  }
  return new Date(at).toISOString();
}

/** What machines write is for people to read: nothing in it moves their cursor. */
function print(session: Session, line: Line): void {
  const text = formatOf(session) === 'table' ? lineOf(line) : jsonOf(line);
  session.around.stdout.write(`${text}\n`);
}

function lineOf(line: Line): string {
  const at = showTime(line.at);
  if (!('node_name' in line)) return `${at}  ${plain(line.line)}`;
  const where = line.stream === 'console' ? 'console' : line.level.padEnd('console'.length);
  return `${at}  ${plain(line.node_name)}  ${where}  ${plain(line.line)}`;
}
