import { createPrivateKey, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { taskSignerList, taskSignerRetire, taskSignerRevoke, taskSignerRotate } from '@gpuaas/contract';
import {
  acceptedSignerStates,
  endorsementText,
  type NodeHeartbeatAnswer,
  type NodeTask,
  type SignerVersion,
  signedText,
  statementText,
} from '@gpuaas/contract/node';
import {
  type BeginAct,
  type Database,
  handlers,
  type Mounted,
  systemViewer,
  type WriteTx,
} from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault, Outage } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { type Reconciler, startReconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { hourMs, secondMs } from '../../../kernel/units.ts';
import { signersAnnounced, signersLookAgainMs, signersShown } from '../facts.ts';
import { advanceSigner } from './signers-machine.ts';
import {
  findDueSigner,
  findSigner,
  insertSigner,
  isAgeing,
  type ListedSigner,
  listSigners,
  type NewSigner,
  retireDueSigners,
  type SignerRow,
  showSigner,
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

export type AnnouncedSigners = Pick<NodeHeartbeatAnswer, 'signers' | 'signers_statement'>;

/** Encrypts what must not lie in the database as it is. A text that is moved to another place does not open. */
export interface Seal {
  close(text: string, place: string): Buffer;
  open(sealed: Uint8Array, place: string): string;
}

export const signersChannel = 'gpuaas_task_signers';
/** Where the private half of a key lies, for its seal. */
export const signersPlace = (id: string): string => `task signing key ${id}`;

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
  const opened = new Map<string, KeyObject>();

  const look = async () => {
    rows = await db.read(systemViewer('nodes', { correlationId: ids.next() }), (tx) => listSigners(tx, signersShown));
  };
  /** A new key, vouched for by the one that signs now: nodes take it on that one's word. */
  const make = (seal: Seal, before: SignerRow | undefined): NewSigner => {
    const id = ids.next();
    const { publicKey, privateKey: secret } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const sealed = seal.close(secret.export({ format: 'pem', type: 'pkcs8' }) as string, signersPlace(id));
    if (!before) return { id, publicKey: x, sealed };
    const text = endorsementText({ signer_version_id: id, public_key: x, endorsed_by: before.id });
    const signature = signBytes(null, Buffer.from(text), privateKey(before)).toString('base64url');
    return { id, publicKey: x, sealed, endorsed: { by: before.id, signature } };
  };
  const graceEnds = () => new Date(clock.now().getTime() + parts.graceHours() * hourMs);

  /** The first key of an installation. Two processes may try: the database takes one. */
  async function begin(seal: Seal): Promise<void> {
    const first = make(seal, undefined);
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
  if (!active() && parts.seal) await begin(parts.seal);
  const looking = startReconciler(
    { name: 'task-signers', round: () => look().then(() => 'idle' as const) },
    { clock, log: parts.log, everyMs: signersLookAgainMs },
  );
  const listening = await parts.listen(signersChannel, looking.wake);

  function privateKey(row: SignerRow): KeyObject {
    const known = opened.get(row.id);
    if (known) return known;
    if (!parts.seal) throw new Outage('no tasks are signed without GPUAAS_SECRETS_KEY');
    let key: KeyObject;
    try {
      key = createPrivateKey(parts.seal.open(row.sealed_private_key, signersPlace(row.id)));
    } catch (cause) {
      throw new Outage('the task-signing keys were sealed with another GPUAAS_SECRETS_KEY', { cause });
    }
    opened.set(row.id, key);
    return key;
  }

  let told: { readonly of: readonly ListedSigner[]; readonly list: AnnouncedSigners } | undefined;
  function state(all: readonly ListedSigner[]): AnnouncedSigners {
    const signers = chooseAnnounced(all).map(announce);
    const voice = all.find(({ state }) => state === 'active');
    if (!voice || !parts.seal) return { signers };
    const of = { stated_by: voice.id, sequence: Number(voice.sequence) };
    const signature = signBytes(null, Buffer.from(statementText({ ...of, signers })), privateKey(voice));
    return { signers, signers_statement: { ...of, signature: signature.toString('base64url') } };
  }

  return {
    sign(task) {
      const row = active();
      if (!row) throw new Outage('there is no active task-signing key');
      const unsigned = { ...task, signer_version_id: row.id };
      const signature = signBytes(null, Buffer.from(signedText(unsigned)), privateKey(row)).toString('base64url');
      return { ...unsigned, signature };
    },
    accepted: () => rows.filter(isAccepted).map(announce),
    announced() {
      // Nodes ask by the thousand, and keys change once in months: a list is signed once.
      if (told?.of !== rows) told = { of: rows, list: state(rows) };
      return told.list;
    },
    ageing: {
      name: 'task-signer-ageing',
      async round() {
        const now = clock.now();
        const viewer = systemViewer('nodes', { correlationId: ids.next() });
        if (!(await db.read(viewer, (tx) => isAgeing(tx, now)))) return 'idle';
        await db.write(parts.begin('task_signer.age', { correlationId: viewer.correlationId }), async (tx) => {
          const due = await findDueSigner(tx, now);
          if (due) await succeedSigner(tx, due, graceEnds());
          const retired = await retireDueSigners(tx, now);
          tx.wake(signersChannel, 'aged');
          const target = { type: 'task_signer', id: due ?? 'all' };
          return tx.commit(undefined, { target, change: { activated: due ?? null, retired }, events: 'none' });
        });
        return 'more';
      },
    },
    routes: signerRoutes({
      db,
      overlapMs: () => parts.overlapSeconds() * secondMs,
      graceEnds,
      clock,
      make: (before) => {
        if (!parts.seal) throw new Outage('no tasks are signed without GPUAAS_SECRETS_KEY');
        return make(parts.seal, before);
      },
      changed: looking.wake,
    }),
    async close() {
      await listening.close();
      await looking.close();
    },
  };
}

const announce = (row: SignerRow): SignerVersion => ({
  signer_version_id: row.id,
  public_key: row.public_key,
  state: row.state,
  published_at: row.published_at.toISOString(),
  effective_at: row.effective_at.toISOString(),
  ...(row.retires_at && { retires_at: row.retires_at.toISOString() }),
  ...(row.endorsed_by !== null && row.endorsement !== null
    ? { endorsed_by: row.endorsed_by, endorsement: row.endorsement }
    : {}),
});
/** Those that are obeyed first, then what vouches for them, one after the other back in time, then the revoked ones. */
function chooseAnnounced(rows: readonly SignerRow[]): SignerRow[] {
  const told = new Map(rows.filter(isAccepted).map((row) => [row.id, row]));
  for (const { endorsed_by: by } of told.values()) {
    const before = by === null ? undefined : rows.find(({ id }) => id === by);
    if (before && told.size < signersAnnounced) told.set(before.id, before);
  }
  for (const row of rows) if (row.state === 'revoked' && told.size < signersAnnounced) told.set(row.id, row);
  return [...told.values()];
}
const isAccepted = ({ state }: SignerRow): boolean => acceptedSignerStates.includes(state);

interface RouteParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly overlapMs: () => number;
  readonly graceEnds: () => Date;
  readonly make: (before: SignerRow | undefined) => NewSigner;
  readonly changed: () => void;
}
const on = handlers<RouteParts>();
const absent = () => new Fault('task_signer_not_found', 'There is no such object.');

const list = on(taskSignerList, async ({ db }, who) => ({
  data: (await db.read(who, (tx) => listSigners(tx, signersShown))).map(showSigner),
}));

const rotate = on(taskSignerRotate, async (parts, act, { body }) => {
  const written = await parts.db.write(act, async (tx) => {
    const there = await listSigners(tx, signersShown);
    const announced = there.find(({ state }) => state === 'staged');
    if (announced) {
      return tx.abandon(
        new Fault(
          'illegal_transition',
          `A new key is announced already: it signs from ${announced.effective_at.toISOString()}.`,
        ),
      );
    }
    const next = parts.make(there.find(({ state }) => state === 'active'));
    await insertSigner(tx, next, new Date(parts.clock.now().getTime() + parts.overlapMs()));
    tx.wake(signersChannel, 'rotated');
    const row = await findSigner(tx, next.id);
    if (!row) throw new Error('a key was not stored');
    return tx.commit(showSigner(row), {
      target: { type: 'task_signer', id: next.id },
      change: { reason: body.reason, effective_at: row.effective_at.toISOString() },
      events: 'none',
    });
  });
  parts.changed();
  return written;
});

const retire = on(taskSignerRetire, async (parts, act, { params, body }) => {
  const written = await parts.db.write(act, async (tx) => {
    const moved = await advanceSigner(tx, params.signer_id, 'retire');
    if (moved instanceof Fault) return tx.abandon(unversioned(moved));
    const row = moved && (await findSigner(tx, params.signer_id));
    if (!row) return tx.abandon(absent());
    tx.wake(signersChannel, 'retired');
    return tx.commit(showSigner(row), {
      target: { type: 'task_signer', id: row.id },
      change: { reason: body.reason, state: [moved.from, moved.to] },
      events: 'none',
    });
  });
  parts.changed();
  return written;
});

const revoke = on(taskSignerRevoke, async (parts, act, { params, body }) => {
  const written = await parts.db.write(act, async (tx) => {
    const moved = await advanceSigner(tx, params.signer_id, 'revoke');
    if (moved instanceof Fault) return tx.abandon(unversioned(moved));
    if (!moved) return tx.abandon(absent());
    if (moved.from === 'active') {
      await succeedRevoked(parts, tx, params.signer_id);
    }
    const row = await findSigner(tx, params.signer_id);
    if (!row) return tx.abandon(absent());
    tx.wake(signersChannel, 'revoked');
    return tx.commit(showSigner(row), {
      target: { type: 'task_signer', id: row.id },
      change: { reason: body.reason, state: [moved.from, moved.to] },
      events: 'none',
    });
  });
  parts.changed();
  return written;
});

/**
 * Nobody waits for an announcement now: nodes hear of the successor with their next heartbeat, in the same list that ends
 * the one that vouches for it. From then on that one's word counts for nothing. A key that is announced already takes
 * over: each key that becomes active is endorsed by the one that was active before, which is the way nodes follow.
 */
async function succeedRevoked(parts: RouteParts, tx: WriteTx, revokedId: string): Promise<void> {
  const announced = (await listSigners(tx, signersShown)).find(({ state }) => state === 'staged');
  if (announced) return succeedSigner(tx, announced.id, parts.graceEnds());
  const next = parts.make(await findSigner(tx, revokedId));
  await insertSigner(tx, next, parts.clock.now());
  await succeedSigner(tx, next.id, parts.graceEnds());
}

/** Nobody said which version they saw, so none can be in the way. */
function unversioned(fault: Fault<'illegal_transition' | 'version_conflict'>): Fault<'illegal_transition'> {
  if (fault.code === 'version_conflict') throw fault;
  return fault as Fault<'illegal_transition'>;
}

const signerRoutes = (parts: RouteParts): Mounted[] => [list, rotate, retire, revoke].map((bind) => bind(parts));
