import { type Input, type TerminalToken, terminalTokenMint } from '@gpuaas/contract';
import { isStream, terminalPaths } from '@gpuaas/contract/terminal';
import { type Act, handlers, type InOrganization, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { openSession } from './open.ts';
import type { TerminalParts } from './parts.ts';
import { findTarget, isAdministrator, type TargetRow } from './rights-store.ts';
import { findSession } from './store.ts';

type Wish = Input<typeof terminalTokenMint>['body'];
type Minter = Act & InOrganization;

const on = handlers<TerminalParts>();
const notYours = () =>
  new Fault('ownership_required', 'Only who created the allocation, or an admin or owner, may open terminals in it.');

/** Why nobody gets a terminal in an allocation now; undefined when people do. */
export function whyNot(target: Pick<TargetRow, 'state' | 'login' | 'node_id'>, hasGateway: boolean) {
  if (target.state !== 'active') {
    return new Fault('allocation_not_active', `It is ${target.state}; only an active allocation has terminals.`, {
      state: target.state,
    });
  }
  if (!hasGateway) return new Fault('terminal_unsupported', 'This installation runs no terminal gateway.');
  if (target.login === null || target.node_id === null) {
    return new Fault('terminal_unsupported', 'The machine has no login that a shell could run as.');
  }
  return undefined;
}

/** The session that a token is for: a new one, or one that the caller may join, take over or watch. */
async function resolve(tx: WriteTx, parts: TerminalParts, act: Minter, target: TargetRow, wish: Wish) {
  if (wish.mode === 'open') return openSession(tx, parts, act, target, { ...wish, sshKeyId: null });
  if (wish.session_id === undefined) {
    return new Fault('validation_error', `Mode ${wish.mode} needs session_id.`, { field: 'session_id' });
  }
  const row = await findSession(tx, wish.session_id);
  if (row?.allocation_id !== target.id) {
    return new Fault('terminal_session_not_found', 'The allocation has no such terminal session.');
  }
  if (row.state === 'ended') {
    return new Fault('terminal_session_ended', `The session has ended (${row.end_reason}). Open a new one.`);
  }
  if (row.user_id !== act.actorId && (wish.mode !== 'watch' || !isAdministrator(act.actorRole))) {
    return new Fault(
      'ownership_required',
      'It is the session of another person. Nobody else types into it; an admin or owner may watch it.',
    );
  }
  if (isStream(row.kind)) {
    return new Fault(
      'validation_error',
      'It carries the bytes of one connection, which nobody joins. Open a new one.',
      {
        field: 'mode',
      },
    );
  }
  if (wish.mode === 'join' && (await parts.live.read(row.id))?.writer) {
    return new Fault(
      'terminal_session_in_use',
      'Another client types into it: take it over, watch it or open a new one.',
      {
        session_id: row.id,
      },
    );
  }
  return row;
}

export const mint = on(terminalTokenMint, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const target = await findTarget(tx, params.allocation_id);
    if (!target) return tx.abandon(new Fault('allocation_not_found', 'There is no such allocation.'));
    if (target.requested_by !== act.actorId && !isAdministrator(act.actorRole)) return tx.abandon(notYours());
    const refused = whyNot(target, parts.gateway !== undefined);
    if (refused) return tx.abandon(refused);
    const session = await resolve(tx, parts, act, target, body);
    if (session instanceof Fault) return tx.abandon(session);
    const { id, allocation_id, organization_id, project_id } = session;
    // A token whose session is not committed finds none, and is refused.
    const { token, expiresAt } = await parts.tokens.mint({
      ...{ session_id: id, allocation_id, organization_id, project_id, user_id: act.actorId },
      ...{ mode: body.mode, columns: body.columns, rows: body.rows },
    });
    return tx.commit<TerminalToken>(
      {
        token,
        session_id: id,
        name: session.name,
        url: `${parts.gateway?.url ?? ''}${terminalPaths.client.replace('{allocation_id}', allocation_id)}`,
        expires_at: expiresAt.toISOString(),
        role: body.mode === 'watch' ? 'watcher' : 'writer',
        recording: session.recording,
      },
      {
        target: { type: 'terminal_session', id },
        change: { allocation_id, mode: body.mode, kind: session.kind, port: session.port },
        events: 'none',
      },
    );
  }),
);
