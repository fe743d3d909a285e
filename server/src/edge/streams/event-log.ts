import { type Database, sql, type Viewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Round, TailEvent } from './tail.ts';

/**
 * The outbox as seen by a reader of one project, or by operators as a whole. It is read in the rounds of the relay (see
 * outbox-log.ts), so nothing is skipped and events of one key stay in order. The position of a reader is three numbers,
 * which any process can continue from: they are the id of each event on the wire.
 */
export interface Mark {
  readonly from: string;
  readonly to: string;
  readonly position: string;
}
export interface LoggedEvent {
  readonly mark: Mark;
  readonly type: string;
  /** The envelope as JSON. */
  readonly envelope: string;
}
export interface Reading {
  readonly events: LoggedEvent[];
  readonly mark: Mark;
  readonly isAll: boolean;
}
export interface Wanted {
  readonly about: string | undefined;
  readonly types: readonly string[];
  /** Whether the reader may see the account of the organization: then also what happens to its money. */
  readonly money: boolean;
}
/** Events of an organization, not of a project, that its people watch from any project. */
const moneyTypes = ['billing.', 'payments.balance_credited'];

/** The largest numbers that PostgreSQL has for a transaction and for a row. */
const mostTransaction = 2n ** 64n - 1n;
const mostPosition = 2n ** 63n - 1n;
const shape = /^([0-9]{1,20})-([0-9]{1,20})-([0-9]{1,19})$/;

export const writeMark = ({ from, to, position }: Mark): string => `${from}-${to}-${position}`;
export function readMark(text: string): Mark | Fault<'cursor_invalid'> {
  const [, from, to, position] = shape.exec(text) ?? [];
  if (
    from === undefined ||
    to === undefined ||
    position === undefined ||
    BigInt(from) > BigInt(to) ||
    BigInt(to) > mostTransaction ||
    BigInt(position) > mostPosition
  ) {
    return new Fault('cursor_invalid', 'This is not the id of an event: start again without one.');
  }
  return { from, to, position };
}

const readRound = sql(
  'stream-round',
  `select position::text as position, subject, envelope::text as envelope from outbox_events
   where mine(organization_id) and ($1::text is null or envelope ->> 'project_id' = $1 or ($8::boolean
       and envelope ->> 'project_id' is null and exists (select from unnest($9::text[]) m where starts_with(subject, m))))
     and transaction_id >= $2::text::xid8 and transaction_id < $3::text::xid8 and outbox_events.position > $4
     and ($5::text is null or key = $5)
     and (cardinality($6::text[]) = 0 or exists (
       select from unnest($6::text[]) t where subject = t or starts_with(subject, t || '.')
     ))
   order by outbox_events.position limit $7`,
);
const readHorizon = sql('stream-horizon', 'select pg_snapshot_xmin(pg_current_snapshot())::text as xid');

const batch = 200;

/** Only a viewer with platform reach reads without a project; for others a missing one finds nothing. */
const projectOf = ({ reach, projectId }: Viewer): string | null => (reach === 'platform' ? null : (projectId ?? ''));

const isAboutMoney = ({ projectId, type }: TailEvent): boolean =>
  projectId === null && moneyTypes.some((each) => type.startsWith(each));

/**
 * What a round of the tail contains for a reader who has read everything before the mark: the same as the log. The
 * round holds events of the viewer's organization, or all events for platform reach.
 */
export function readOff(round: Round, who: Viewer, at: Mark, { about, types, money }: Wanted): Reading {
  const [from, to] = [at.to, String(round.to)];
  const project = projectOf(who);
  const events = round.events
    .filter(
      (event) =>
        BigInt(event.transactionId) >= BigInt(from) &&
        (project === null || event.projectId === project || (money && isAboutMoney(event))) &&
        (about === undefined || event.key === about) &&
        (types.length === 0 || types.some((type) => event.type === type || event.type.startsWith(`${type}.`))),
    )
    .map(({ position, type, envelope }) => ({ mark: { from, to, position }, type, envelope }));
  return { events, mark: { from: to, to, position: '0' }, isAll: true };
}

export function makeEventLog(db: Database) {
  const horizon = async (who: Viewer): Promise<string> =>
    db.read(who, async (tx) => (await tx.rows<{ xid: string }>(readHorizon))[0]?.xid ?? '0');
  return {
    /** The position of a reader who wants only new events. */
    async now(who: Viewer): Promise<Mark> {
      const xid = await horizon(who);
      return { from: xid, to: xid, position: '0' };
    },
    /**
     * Resumes a reader from a mark. A mark in the future belongs to a database that was restored meanwhile: the reader
     * starts with new events.
     */
    async resume(who: Viewer, mark: Mark): Promise<Mark> {
      const xid = await horizon(who);
      return BigInt(mark.to) > BigInt(xid) ? { from: xid, to: xid, position: '0' } : mark;
    },
    /** The next events, the position after them, and whether that was all. */
    next(who: Viewer, at: Mark, wanted: Wanted): Promise<Reading> {
      return db.read(who, async (tx) => {
        const read = async (mark: Mark) =>
          (
            await tx.rows<{ position: string; subject: string; envelope: string }>(readRound, [
              ...[projectOf(who), mark.from, mark.to, mark.position],
              ...[wanted.about ?? null, wanted.types, batch, wanted.money, moneyTypes],
            ])
          ).map(({ position, subject, envelope }) => ({ mark: { ...mark, position }, type: subject, envelope }));
        /** A round that fitted into a batch is over, and need not be asked about again. */
        const after = ({ to }: Mark, events: readonly LoggedEvent[]): Mark =>
          (events.length === batch ? events.at(-1)?.mark : undefined) ?? { from: to, to, position: '0' };
        // What is left of the round that the reader was in; then a new one, up to the oldest transaction still running.
        const rest = at.from === at.to ? [] : await read(at);
        if (rest.length > 0) return { events: rest, mark: after(at, rest), isAll: false };
        const [row] = await tx.rows<{ xid: string }>(readHorizon);
        const round: Mark = { from: at.to, to: row?.xid ?? at.to, position: '0' };
        const events = BigInt(round.to) > BigInt(round.from) ? await read(round) : [];
        return { events, mark: after(round, events), isAll: events.length < batch };
      });
    },
  };
}
export type EventLog = ReturnType<typeof makeEventLog>;
