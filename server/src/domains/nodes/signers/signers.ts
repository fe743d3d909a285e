import { endedBy, waits } from '@gpuaas/contract';
import { type NodeTask, type SignerVersion, signedText } from '@gpuaas/contract/node';
import { type BeginAct, type Database, type Mounted, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault, Outage } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { type Reconciler, startReconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { hourMs, secondMs } from '../../../kernel/units.ts';
import { signersLookAgainMs, signersShown } from '../facts.ts';
import { type AnnouncedSigners, announceSigner, announceSigners, isAccepted } from './announcement.ts';
import { type Seal, SignerKeys } from './signer-keys.ts';
import { signerRoutes } from './signers-routes.ts';
import {
  findDueSigner,
  insertSigner,
  isAgeing,
  type ListedSigner,
  listOverdueSigners,
  listSigners,
  retireDueSigner,
  signersChannel,
  succeedSigner,
} from './signers-store.ts';

/**
 * The keys that sign tasks. They are independent of certificates: the holder of a node's certificate cannot make a
 * task, and the holder of a task-signing key cannot connect to a node. A new key is announced first, with every
 * heartbeat, and signs when all nodes have had time to learn it; the one before it stays valid for a while, so that the
 * change can be undone and no task in flight is lost. It endorses the new one, so that a node need not trust an
 * unsigned list. The private halves are in Postgres, sealed.
 */
export interface TaskSigners {
  readonly routes: readonly Mounted[];
  /** Completes a task with the key that is active, and its signature. Answers from memory. */
  sign(task: Omit<NodeTask, 'signature' | 'signer_version_id'>): NodeTask;
  /** The keys that a node may obey now. */
  accepted(): readonly SignerVersion[];
  /**
   * The list for nodes, in enrolments and heartbeats: the keys, those that endorsed them for nodes that missed a
   * change, and those that were revoked. The active key has signed the list as a whole.
   */
  announced(): AnnouncedSigners;
  /** Activates what was announced long enough, retires what has been in grace long enough. One process does it. */
  readonly ageing: Reconciler;
  close(): Promise<void>;
}

export interface SignersParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  /** Without it nothing is signed here. */
  readonly seal: Seal | undefined;
  readonly overlapSeconds: () => number;
  readonly graceHours: () => number;
  readonly listen: (channel: string, listener: () => void) => Promise<{ close(): Promise<void> }>;
}

export async function openTaskSigners(parts: SignersParts): Promise<TaskSigners> {
  const { db, ids, clock } = parts;
  let rows: readonly ListedSigner[] = [];
  const keys = parts.seal && new SignerKeys(parts.seal, ids);

  const look = async () => {
    rows = await db.read(systemViewer('nodes', { correlationId: ids.next() }), (tx) => listSigners(tx, signersShown));
  };
  const sealedKeys = (): SignerKeys => {
    if (!keys) throw new Outage('no tasks are signed without GPUAAS_SECRETS_KEY');
    return keys;
  };
  const graceEnds = () => new Date(clock.now().getTime() + parts.graceHours() * hourMs);

  /** The first key of an installation. Two processes may try: the database takes one. */
  async function begin(own: SignerKeys): Promise<void> {
    const first = own.make(undefined);
    const act = parts.begin('task_signer.create', { correlationId: ids.next() });
    await db
      .write(act, async (tx) => {
        await insertSigner(tx, first, clock.now());
        await succeedSigner(tx, first.id, graceEnds());
        return tx.commit(undefined, { target: { type: 'task_signer', id: first.id }, events: 'none' });
      })
      .catch(async (error: unknown) => {
        await look();
        if (!active()) throw error;
      });
    await look();
  }
  const active = () => rows.find(({ state }) => state === 'active');

  await look();
  if (!active() && keys) await begin(keys);
  const looking = startReconciler(
    { name: 'task-signers', round: () => look().then(() => 'idle' as const) },
    { clock, log: parts.log, everyMs: signersLookAgainMs },
  );
  const listening = await parts.listen(signersChannel, looking.wake);

  let told: { readonly of: readonly ListedSigner[]; readonly list: AnnouncedSigners } | undefined;
  return {
    sign(task) {
      const row = active();
      if (!row) throw new Outage('there is no active task-signing key');
      const unsigned = { ...task, signer_version_id: row.id };
      return { ...unsigned, signature: sealedKeys().sign(row, signedText(unsigned)) };
    },
    accepted: () => rows.filter(isAccepted).map(announceSigner),
    announced() {
      // Nodes ask by the thousand, and keys change once in months: a list is signed once.
      if (told?.of !== rows) told = { of: rows, list: announceSigners(rows, keys) };
      return told.list;
    },
    ageing: makeSignerAgeing(parts, graceEnds),
    routes: signerRoutes({
      db,
      overlapMs: () => parts.overlapSeconds() * secondMs,
      graceEnds,
      clock,
      make: (before) => sealedKeys().make(before),
      changed: looking.wake,
    }),
    async close() {
      await listening.close();
      await looking.close();
    },
  };
}

const moved = (id: string, change: object) => ({
  ...{ target: { type: 'task_signer', id }, change, events: 'none' as const },
});

/** Activates what was announced long enough, and retires what has been in grace long enough. */
const makeSignerAgeing = (
  { db, ids, clock, begin }: Pick<SignersParts, 'db' | 'ids' | 'clock' | 'begin'>,
  graceEnds: () => Date,
): Reconciler => ({
  name: 'task-signer-ageing',
  async round() {
    const now = clock.now();
    const viewer = systemViewer('nodes', { correlationId: ids.next() });
    if (!(await db.read(viewer, (tx) => isAgeing(tx, now)))) return 'idle';
    // One act for each key, so that the audit log says of each why it moved.
    const { correlationId } = viewer;
    await db.write(begin('task_signer.activate', { correlationId }), async (tx) => {
      const due = await findDueSigner(tx, now);
      if (!due) return tx.abandon(new Fault('task_signer_not_found', 'Nothing is due.'));
      await succeedSigner(tx, due, graceEnds());
      tx.wake(signersChannel, 'aged');
      return tx.commit(undefined, moved(due, endedBy(waits.signer.staged)));
    });
    for (const id of await db.read(viewer, (tx) => listOverdueSigners(tx, now))) {
      await db.write(begin('task_signer.retire', { correlationId }), async (tx) => {
        // Another process was faster.
        if (!(await retireDueSigner(tx, id, now)))
          return tx.abandon(new Fault('task_signer_not_found', 'It is retired.'));
        tx.wake(signersChannel, 'aged');
        return tx.commit(undefined, moved(id, endedBy(waits.signer.grace)));
      });
    }
    return 'more';
  },
});
