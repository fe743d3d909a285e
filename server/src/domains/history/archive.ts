import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { dayMs } from '../../kernel/units.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { archiveFormat, batchSizes, pageRows, removedAtOnce } from './facts.ts';
import {
  type ArchiveRow,
  beginArchive,
  findArchive,
  makeMonths,
  noteArchived,
  readAuditRows,
  readBatch,
  removeArchived,
  type Subject,
} from './store.ts';

export interface ArchiveParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly objects: Objects;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  /** How many days each subject is kept. */
  readonly keptDays: (subject: Subject) => number;
}

const subjects = ['audit', 'allocations', 'attestations', 'node_tasks'] as const satisfies readonly Subject[];

/**
 * Makes months ahead of time, and takes history that is older than its retention out of the database: it is written to the
 * object store, noted with its digest, and only removed once the api has compared the object with the rows. Each step can be repeated, so a process that dies in between
 * leaves an archive that the next one finishes.
 */
export function makeArchiving(parts: ArchiveParts): Reconciler {
  const { db, begin, ids, clock } = parts;
  return {
    name: 'history-archiving',
    async round(signal) {
      await db.write(begin('history.months', { correlationId: ids.next() }), async (tx) => {
        const made = await makeMonths(tx);
        if (made === 0) return tx.abandon(new Fault('resource_not_found', 'The months exist already.'));
        return tx.commit(made, { target: { type: 'history', id: 'months' }, change: { made }, events: 'none' });
      });
      let worked = false;
      for (const subject of subjects) {
        if (signal.aborted) return 'idle';
        const before = new Date(clock.now().getTime() - parts.keptDays(subject) * dayMs);
        const archive = await openArchive(parts, subject, before);
        if (!archive) continue;
        if (!archive.archived_at) await writeObject(parts, archive);
        // The api reads the object and confirms it; this process cannot.
        if (!archive.confirmed_at) continue;
        await removeRows(parts, archive, signal);
        worked = true;
      }
      return worked ? 'more' : 'idle';
    },
  };
}

/** The archive of a subject that is under way, or a new one if something is due. */
async function openArchive(parts: ArchiveParts, subject: Subject, before: Date): Promise<ArchiveRow | undefined> {
  const { db, begin, ids } = parts;
  const id = ids.next();
  const correlationId = ids.next();
  const opened = await db.write(begin('history.begin', { correlationId }), async (tx) => {
    const found = await beginArchive(tx, id, subject, before, batchSizes[subject]);
    if (found === undefined) return tx.abandon(new Fault('resource_not_found', 'Nothing is due.'));
    return tx.commit(found, {
      target: { type: 'history', id: found },
      change: { subject, before: before.toISOString() },
      events: 'none',
    });
  });
  if (opened instanceof Fault) return undefined;
  const found = opened.value;
  return db.read(systemViewer('outbox-relay', { correlationId }), (tx) => findArchive(tx, found));
}

async function writeObject(parts: ArchiveParts, archive: ArchiveRow): Promise<void> {
  const { db, begin, ids, objects, log } = parts;
  const counted = { rows: 0 };
  const lines = Readable.from(linesOf(parts, archive, counted));
  const body = lines.pipe(createGzip());
  // A pipe does not carry a failure on, and half an archive must not be taken for a whole one.
  lines.once('error', (error) => body.destroy(error));
  const facts = await objects.put(archive.object_key, body, { contentType: 'application/gzip' });
  const made = { rows: counted.rows, bytes: facts.size, sha256: facts.sha256 };
  await db.write(begin('history.archive', { correlationId: ids.next() }), async (tx) => {
    await noteArchived(tx, archive.id, made);
    return tx.commit(made, {
      target: { type: 'history', id: archive.id },
      change: { subject: archive.subject, ...made },
      events: 'none',
    });
  });
  log.info({ subject: archive.subject, key: archive.object_key, ...made }, 'history was archived');
}

/** An archive as text: a line that says what it is, then a line for each row. */
async function* linesOf(parts: ArchiveParts, archive: ArchiveRow, counted: { rows: number }): AsyncGenerator<string> {
  const { db, ids } = parts;
  const viewer = systemViewer('outbox-relay', { correlationId: ids.next() });
  yield `${JSON.stringify({ format: archiveFormat, id: archive.id, subject: archive.subject, to_at: archive.to_at })}\n`;
  if (archive.subject !== 'audit') {
    for (const line of await db.read(viewer, (tx) => readBatch(tx, archive.id))) {
      counted.rows += 1;
      yield `${JSON.stringify(line)}\n`;
    }
    return;
  }
  let at = { chain: '', sequence: '0' };
  for (;;) {
    const page = await db.read(viewer, (tx) => readAuditRows(tx, archive.id, at.chain, at.sequence, pageRows));
    counted.rows += page.length;
    yield page.map((line) => `${JSON.stringify(line)}\n`).join('');
    const last = page.at(-1);
    if (!last || page.length < pageRows) return;
    at = last;
  }
}

async function removeRows(parts: ArchiveParts, archive: ArchiveRow, signal: AbortSignal): Promise<void> {
  const { db, begin, ids } = parts;
  let after: string | undefined;
  do {
    const removed = await db.write(begin('history.remove', { correlationId: ids.next() }), async (tx) => {
      const next = await removeArchived(tx, archive.id, after, removedAtOnce);
      return tx.commit(next, {
        target: { type: 'history', id: archive.id },
        change: { subject: archive.subject, finished: next === undefined },
        events: 'none',
      });
    });
    after = removed.value;
    // A batch names itself when rows came after it was written: the next round writes it again.
  } while (after !== undefined && after !== archive.id && !signal.aborted);
}
