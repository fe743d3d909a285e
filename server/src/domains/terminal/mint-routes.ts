import { type Input, type TerminalToken, terminalTokenMint } from '@gpuaas/contract';
import { isStream, type TerminalKind, type TerminalRecording, terminalPaths } from '@gpuaas/contract/terminal';
import { type Act, handlers, type InOrganization, type ReadTx, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { secondMs } from '../../kernel/units.ts';
import type { TerminalParts } from './parts.ts';
import { insertRecording } from './recordings/store.ts';
import { findTarget, grantedUntil, isAdministrator, type TargetRow } from './rights-store.ts';
import { findSession, holdLive, insertSession } from './store.ts';
import { whyNoStream } from './streams.ts';

type MintBody = Input<typeof terminalTokenMint>['body'];
type Minter = Act & InOrganization;

const on = handlers<TerminalParts>();
export const notYours = () =>
  new Fault(
    'ownership_required',
    'Only who created the allocation, who has a grant for it, or an admin or owner may work in it. Ask one of them for a grant.',
  );
/** Until when the caller may enter: undefined when never. The role was checked on the way here; the grant is looked up. */
export const mayEnterUntil = async (tx: ReadTx, target: TargetRow, who: Pick<Act, 'actorId' | 'actorRole'>) =>
  target.requested_by === who.actorId || isAdministrator(who.actorRole)
    ? ('always' as const)
    : grantedUntil(tx, target.id, who.actorId);

/** Why nobody gets a terminal in an allocation now; undefined when people do. */
export function whyNot(target: Pick<TargetRow, 'state' | 'stop_phase' | 'login' | 'node_id'>, hasGateway: boolean) {
  if (target.state !== 'active') {
    return new Fault('allocation_not_active', `It is ${target.state}; only an active allocation has terminals.`, {
      state: target.state,
    });
  }
  if (target.stop_phase !== null) {
    const text = 'Its machine is stopped because the balance is spent: add to the balance, and it starts again.';
    return new Fault('allocation_not_active', text, { stop: target.stop_phase });
  }
  if (!hasGateway) return new Fault('terminal_unsupported', 'This installation runs no terminal gateway.');
  if (target.login === null || target.node_id === null) {
    return new Fault('terminal_unsupported', 'The machine has no login that a shell could run as.');
  }
  return undefined;
}

/** The session that a token is for: a new one, or one that the caller may join, take over or watch. */
async function resolve(tx: WriteTx, parts: TerminalParts, act: Minter, target: TargetRow, body: MintBody) {
  if (body.mode === 'open') return openSession(tx, parts, act, target, { ...body, ...byToken });
  if (body.session_id === undefined) {
    return new Fault('validation_error', `Mode ${body.mode} needs session_id.`, { field: 'session_id' });
  }
  const row = await findSession(tx, body.session_id);
  if (row?.allocation_id !== target.id) {
    return new Fault('terminal_session_not_found', 'The allocation has no such terminal session.');
  }
  if (row.state === 'ended') {
    return new Fault('terminal_session_ended', `The session has ended (${row.end_reason}). Open a new one.`);
  }
  if (row.user_id !== act.actorId && (body.mode !== 'watch' || !isAdministrator(act.actorRole))) {
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
  if (body.mode === 'join' && (await parts.live.read(row.id))?.writer) {
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

const byToken = { sshKeyId: null, sshCertificateId: null } as const;

/** Whose session it will be, as policies ask. */
interface Opener {
  readonly actorId: string;
  readonly organizationId: string;
  readonly projectId?: string | undefined;
}
/** What a person wants to open. */
interface Opening {
  readonly kind?: TerminalKind | undefined;
  readonly port?: number | undefined;
  readonly name?: string | undefined;
  readonly columns: number;
  readonly rows: number;
  /** The key or the certificate that opens it through the jump host. */
  readonly sshKeyId: string | null;
  readonly sshCertificateId: string | null;
}

/** A new session, as far as policy and limits allow one more. */
export async function openSession(
  tx: WriteTx,
  parts: Pick<TerminalParts, 'policies' | 'ids' | 'clock'>,
  act: Opener,
  target: TargetRow,
  body: Opening,
) {
  const recording = recordingOf(parts.policies.value('terminal.recording', act));
  const refused = whyNoStream(parts.policies, act, body, recording);
  if (refused) return refused;
  const limit = (key: 'terminal.sessions_per_allocation' | 'terminal.sessions_per_user') =>
    parts.policies.number(key, act);
  const live = await holdLive(tx, act.organizationId, target.id, act.actorId);
  for (const [held, most, whose] of [
    [live.ofAllocation, limit('terminal.sessions_per_allocation'), 'The allocation has'],
    [live.ofUser, limit('terminal.sessions_per_user'), 'You have'],
  ] as const) {
    if (held.count >= most) {
      return new Fault(
        'terminal_session_limit',
        `${whose} ${held.count} terminal sessions; ${most} are allowed. End one.`,
        {
          limit: most,
          sessions: held.sessions,
        },
      );
    }
  }
  const now = parts.clock.now().getTime();
  const after = (seconds: number) => new Date(now + seconds * secondMs);
  const session = await insertSession(tx, {
    id: parts.ids.next(),
    ...{ organization_id: target.organization_id, project_id: target.project_id, allocation_id: target.id },
    ...{ node_id: target.node_id ?? '', user_id: act.actorId, simulated: target.simulated },
    ...{ kind: body.kind ?? 'shell', port: body.port ?? null },
    name: body.name ?? nextName(body.kind ?? 'shell', live.names),
    ...{ recording, ssh_key_id: body.sshKeyId, ssh_certificate_id: body.sshCertificateId },
    ...{ columns: body.columns, rows: body.rows },
    open_by: after(parts.policies.number('terminal.opening_seconds', act)),
    expires_at: after(parts.policies.number('terminal.session_max_ttl_seconds', act)),
  });
  if (recording !== 'off') {
    const records_input = recording === 'output' && parts.policies.value('terminal.recording_input', act) === true;
    await insertRecording(tx, { ...session, kind: recording, records_input });
  }
  return session;
}

export const recordingOf = (value: unknown): TerminalRecording =>
  value === 'output' || value === 'metadata' ? value : 'off';

/** shell 1, shell 2: the first that is free. */
function nextName(kind: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`${kind} ${number}`)) number += 1;
  return `${kind} ${number}`;
}

export const mint = on(terminalTokenMint, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const target = await findTarget(tx, params.allocation_id);
    if (!target) return tx.abandon(new Fault('allocation_not_found', 'There is no such allocation.'));
    if (!(await mayEnterUntil(tx, target, act))) return tx.abandon(notYours());
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
