import { join } from 'node:path';
import { NodeTask, NodeTaskResult } from '@gpuaas/contract/node';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../disk.ts';

/**
 * One file per task, and the three memories an agent needs in one: which tasks it has seen, which it had begun when it
 * died, and which results nobody has acknowledged yet.
 *
 *     accepted → running → done → acknowledged → (expired, removed)
 *
 * The file is written before each step is taken. A task that was running is taken up again through the same idempotent
 * method of the host; a task that is done is only posted again; an id that has a file is never a new task. A file that
 * cannot be read still has its name: its task is seen, and what became of it is unknown.
 */
export type EntryState = 'accepted' | 'running' | 'done' | 'acknowledged';

const Entry = Type.Object({
  state: Type.Enum(['accepted', 'running', 'done', 'acknowledged']),
  /** Orders entries of one agent, across restarts. */
  sequence: Type.Integer({ minimum: 0 }),
  task: Type.Object({ ...NodeTask.properties, task_type: Type.String() }),
  started_at: Type.Optional(Type.String()),
  result: Type.Optional(Type.Object({ ...NodeTaskResult.properties, task_type: Type.String() })),
});
const entries = Compile(Entry);
export interface JournalEntry {
  readonly state: EntryState;
  readonly sequence: number;
  readonly task: NodeTask;
  readonly started_at?: string;
  readonly result?: NodeTaskResult;
}

export interface Journal {
  /** `unreadable` when there is a file for the task that says nothing. What is acknowledged comes without its result. */
  find(taskId: string): JournalEntry | 'unreadable' | undefined;
  /** The whole entry of a task, from its file. */
  recall(taskId: string): Promise<JournalEntry | undefined>;
  accept(task: NodeTask): Promise<JournalEntry>;
  begin(entry: JournalEntry, startedAt: string): Promise<JournalEntry>;
  finish(entry: JournalEntry, result: NodeTaskResult): Promise<JournalEntry>;
  /** For a task that was never accepted: what is said about it goes the same way as every result. */
  refuse(task: NodeTask, result: NodeTaskResult): Promise<JournalEntry>;
  acknowledge(entry: JournalEntry): Promise<void>;
  /** What is not acknowledged, oldest first. */
  open(): JournalEntry[];
  readonly unreadable: readonly string[];
  /** Tasks issued before this time may have been seen by a lost journal. `unknown` until `settle` gets the time. */
  readonly seenSince: number | 'unknown';
  settle(nowMs: number): Promise<void>;
  /** Forgets acknowledged tasks that expired long enough ago. */
  prune(nowMs: number): Promise<void>;
}

/** Longer than our idea of the control plane's time could be mistaken about an expiry. */
const afterExpiryMs = 5 * 60_000;
const Epoch = Type.Object({ seen_since_ms: Type.Number() });
const epochs = Compile(Epoch);

export async function openJournal(parts: { readonly disk: Disk; readonly dir: string }): Promise<Journal> {
  const { disk, dir } = parts;
  const fileOf = (taskId: string) => join(dir, `${taskId}.json`);
  const known = new Map<string, JournalEntry>();
  const unreadable = new Set<string>();
  const epochPath = join(dir, 'epoch');
  for (const name of await disk.list(dir)) {
    if (!name.endsWith('.json')) continue;
    const taskId = name.slice(0, -'.json'.length);
    const entry = parseEntry(await disk.read(join(dir, name)));
    if (entry && entry.task.task_id === taskId) known.set(taskId, inMemory(entry));
    else unreadable.add(taskId);
  }
  let seenSince = readEpoch(await disk.read(epochPath));
  let sequence = Math.max(0, ...[...known.values()].map((entry) => entry.sequence));

  const put = async (entry: JournalEntry) => {
    await disk.write(fileOf(entry.task.task_id), JSON.stringify(entry));
    known.set(entry.task.task_id, inMemory(entry));
    unreadable.delete(entry.task.task_id);
    return entry;
  };
  const next = () => {
    sequence += 1;
    return sequence;
  };
  return {
    find: (taskId) => known.get(taskId) ?? (unreadable.has(taskId) ? 'unreadable' : undefined),
    recall: async (taskId) => parseEntry(await disk.read(fileOf(taskId))),
    accept: (task) => put({ state: 'accepted', sequence: next(), task }),
    begin: (entry, startedAt) => put({ ...entry, state: 'running', started_at: entry.started_at ?? startedAt }),
    finish: (entry, result) => put({ ...entry, state: 'done', result }),
    refuse: (task, result) => put({ state: 'done', sequence: next(), task, result }),
    async acknowledge(entry) {
      // The order is not needed any more, only its name, its end and what came of it.
      await put({ ...entry, state: 'acknowledged', task: { ...entry.task, params: {} } });
    },
    open: () =>
      [...known.values()].filter(({ state }) => state !== 'acknowledged').sort((a, b) => a.sequence - b.sequence),
    get unreadable() {
      return [...unreadable];
    },
    get seenSince() {
      return seenSince;
    },
    async settle(nowMs) {
      if (seenSince !== 'unknown') return;
      await disk.write(epochPath, JSON.stringify({ seen_since_ms: nowMs }));
      seenSince = nowMs;
    },
    async prune(nowMs) {
      for (const [taskId, entry] of [...known]) {
        if (entry.state !== 'acknowledged' || Date.parse(entry.task.expires_at) + afterExpiryMs > nowMs) continue;
        await disk.remove(fileOf(taskId));
        known.delete(taskId);
      }
    },
  };
}

/** What was ordered for a newborn node while it was being born is still its first order, not a replay. */
const birthMs = 30_000;

/**
 * A node that has just been enrolled has seen nothing. The same name may have been another machine's before, so that
 * what is older than the enrolment is not obeyed either.
 */
export const beginJournal = (disk: Disk, dir: string, enrolledAtMs: number): Promise<void> =>
  disk.write(join(dir, 'epoch'), JSON.stringify({ seen_since_ms: enrolledAtMs - birthMs }));

/** A result that was taken is on disk, should anybody ask again; in memory only the name of its task is needed. */
function inMemory(entry: JournalEntry): JournalEntry {
  if (entry.state !== 'acknowledged') return entry;
  const { state, sequence, task } = entry;
  return { state, sequence, task };
}

function parseEntry(text: string | undefined): JournalEntry | undefined {
  const value = parseJson(text);
  if (!entries.Check(value)) return undefined;
  const entry: Static<typeof Entry> = value;
  const isWhole = entry.state === 'accepted' || entry.state === 'running' || entry.result !== undefined;
  return isWhole ? (entry as JournalEntry) : undefined;
}

function readEpoch(text: string | undefined): number | 'unknown' {
  const value = parseJson(text);
  return epochs.Check(value) ? value.seen_since_ms : 'unknown';
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
