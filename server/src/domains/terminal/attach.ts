import {
  isStream,
  type TerminalInternalInput,
  type TerminalInternalOutput,
  terminalLimits,
} from '@gpuaas/contract/terminal';
import type { BeginAct, WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Tasks } from '../nodes/index.ts';
import { whyNot } from './mint-routes.ts';
import type { TerminalParts } from './parts.ts';
import { findTarget, isSignedOutSince, readRights, type TargetRow } from './rights-store.ts';
import { factsOf } from './show.ts';
import { holdSession, type SessionRow } from './store.ts';
import { streamOf } from './streams.ts';
import type { Grant } from './tokens.ts';

export interface AttachParts extends TerminalParts {
  readonly begin: BeginAct;
  readonly tasks: Pick<Tasks, 'queueTask'>;
  readonly metrics: Metrics;
}

/** The same sentence for every reason: who guesses learns nothing. */
const refused = () =>
  new Fault('terminal_token_invalid', 'The token is unknown, was used before or is too old. Open the terminal again.');

/**
 * Takes a token and says what its bearer may do in which session. The rights are those of this moment, not of the mint, and
 * a token from before the person was signed out everywhere is refused. When the node of the session is nowhere connected, it
 * is asked for the shell in the same transaction.
 */
export function makeAttach(parts: AttachParts) {
  const refusals = parts.metrics.counter(
    'gpuaas_terminal_token_refusals_total',
    'Terminal tokens that were refused, by reason.',
    ['reason'],
  );
  return async (
    input: TerminalInternalInput<'attach'>,
    call: { readonly correlationId: string },
  ): Promise<TerminalInternalOutput<'attach'> | Fault> => {
    const grant = await parts.tokens.take(input.token);
    if (typeof grant === 'string') {
      refusals.inc({ reason: grant });
      return refused();
    }
    if (grant.allocation_id !== input.allocation_id) {
      refusals.inc({ reason: 'other_allocation' });
      return refused();
    }
    const act = parts.begin('terminal_session.attach', {
      correlationId: call.correlationId,
      organizationId: grant.organization_id,
      projectId: grant.project_id,
    });
    const written = await parts.db.write(act, async (tx) => {
      const row = await holdSession(tx, grant.session_id);
      const target = row && (await findTarget(tx, row.allocation_id));
      if (!row || !target) return tx.abandon(refused());
      if (await isSignedOutSince(tx, grant.user_id, new Date(grant.minted_at))) {
        refusals.inc({ reason: 'signed_out' });
        return tx.abandon(refused());
      }
      const problem = await objection(tx, row, target, grant);
      if (problem) return tx.abandon(problem);
      const home =
        row.home_copy !== null && row.home_peer_url !== null && (await parts.live.isAlive(row.home_copy))
          ? { copy_id: row.home_copy, peer_url: row.home_peer_url }
          : null;
      const taskId = home ? undefined : await askForShell(tx, parts, row, target, grant, call.correlationId);
      const isOthers = row.user_id !== grant.user_id;
      return tx.commit<TerminalInternalOutput<'attach'>>(
        {
          attachment_id: parts.ids.next(),
          session: factsOf(row),
          role: grant.mode === 'watch' ? 'watcher' : 'writer',
          takes_over: grant.mode === 'take_over',
          ...(isOthers && { watched_by: 'admin' as const }),
          minted_at: grant.minted_at,
          home,
        },
        {
          target: { type: 'terminal_session', id: row.id },
          about: grant.user_id,
          change: {
            mode: grant.mode,
            user_id: grant.user_id,
            copy_id: input.copy_id,
            task_id: taskId,
            address: input.address,
          },
          events: 'none',
        },
      );
    });
    return written instanceof Fault ? written : written.value;
  };
}

async function objection(tx: WriteTx, row: SessionRow, target: TargetRow, grant: Grant): Promise<Fault | undefined> {
  if (row.state === 'ended') return new Fault('terminal_session_ended', `The session has ended (${row.end_reason}).`);
  const cannot = whyNot(target, true);
  if (cannot) return cannot;
  const rights = await readRights(tx, target, grant.user_id);
  const may = row.user_id === grant.user_id ? rights.uses : rights.administers && grant.mode === 'watch';
  return may ? undefined : new Fault('insufficient_permissions', 'You may no longer use terminals of this allocation.');
}

/** A node that has the shell already dials again at once. */
export async function askForShell(
  tx: WriteTx,
  parts: Pick<AttachParts, 'policies' | 'gateway' | 'tasks'>,
  row: SessionRow,
  target: TargetRow,
  grant: Pick<Grant, 'columns' | 'rows'>,
  correlationId: string,
): Promise<string> {
  const { policies, gateway } = parts;
  const who = { actorId: row.user_id, organizationId: row.organization_id, projectId: row.project_id };
  if (!target.login || !gateway) throw new Error(`terminal session ${row.id} has no login or no gateway`);
  return parts.tasks.queueTask(tx, {
    ...{ nodeId: row.node_id, type: 'terminal.open', generation: Number(target.generation), correlationId },
    params: {
      ...{ allocation_id: row.allocation_id, session_id: row.id, login: target.login, name: row.name },
      ...{ columns: grant.columns, rows: grant.rows, ends_at: row.expires_at.toISOString() },
      gateway_url: gateway.nodeUrl,
      grace_seconds: isStream(row.kind) ? 0 : policies.number('terminal.reconnect_grace_seconds', who),
      idle_seconds: policies.number('terminal.idle_seconds', who),
      ring_bytes: terminalLimits.ringBytes,
      recording: row.recording,
      ...streamOf(row),
    },
    ttlSeconds: terminalLimits.tokenSeconds,
    allocation: { id: row.allocation_id, organizationId: row.organization_id },
  });
}
