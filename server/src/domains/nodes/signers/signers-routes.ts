import { taskSignerList, taskSignerRetire, taskSignerRevoke, taskSignerRotate } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { signersShown } from '../facts.ts';
import { advanceSigner } from './signers-machine.ts';
import {
  findSigner,
  insertSigner,
  listSigners,
  type NewSigner,
  type SignerRow,
  showSigner,
  signersChannel,
  succeedSigner,
} from './signers-store.ts';

export interface SignerRouteParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly overlapMs: () => number;
  readonly graceEnds: () => Date;
  readonly make: (before: SignerRow | undefined) => NewSigner;
  readonly changed: () => void;
}
const on = handlers<SignerRouteParts>();
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
async function succeedRevoked(parts: SignerRouteParts, tx: WriteTx, revokedId: string): Promise<void> {
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

export const signerRoutes = (parts: SignerRouteParts): Mounted[] =>
  [list, rotate, retire, revoke].map((bind) => bind(parts));
