import type { TerminalKind, TerminalRecording } from '@gpuaas/contract/terminal';
import type { WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { secondMs } from '../../kernel/units.ts';
import type { TerminalParts } from './parts.ts';
import { insertRecording } from './recordings/store.ts';
import type { TargetRow } from './rights-store.ts';
import { holdLive, insertSession } from './store.ts';
import { whyNoStream } from './streams.ts';

/** Whose session it will be, as policies ask. */
export interface Opener {
  readonly actorId: string;
  readonly organizationId: string;
  readonly projectId?: string | undefined;
}
/** What a person wants to open. */
export interface Opening {
  readonly kind?: TerminalKind | undefined;
  readonly port?: number | undefined;
  readonly name?: string | undefined;
  readonly columns: number;
  readonly rows: number;
  /** The key that opens it through the jump host. */
  readonly sshKeyId: string | null;
}

/** A new session, as far as policy and limits allow one more. */
export async function openSession(
  tx: WriteTx,
  parts: Pick<TerminalParts, 'policies' | 'ids' | 'clock'>,
  act: Opener,
  target: TargetRow,
  wish: Opening,
) {
  const recording = recordingOf(parts.policies.value('terminal.recording', act));
  const refused = whyNoStream(parts.policies, act, wish, recording);
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
    ...{ kind: wish.kind ?? 'shell', port: wish.port ?? null },
    name: wish.name ?? nextName(wish.kind ?? 'shell', live.names),
    ...{ recording, ssh_key_id: wish.sshKeyId },
    ...{ columns: wish.columns, rows: wish.rows },
    open_by: after(parts.policies.number('terminal.opening_seconds', act)),
    expires_at: after(parts.policies.number('terminal.session_max_ttl_seconds', act)),
  });
  if (recording !== 'off') {
    const records_input = recording === 'output' && parts.policies.value('terminal.recording_input', act) === true;
    await insertRecording(tx, { ...session, kind: recording, records_input });
  }
  return session;
}

const recordingOf = (value: unknown): TerminalRecording => (value === 'output' || value === 'metadata' ? value : 'off');

/** shell 1, shell 2: the first that is free. */
function nextName(kind: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`${kind} ${number}`)) number += 1;
  return `${kind} ${number}`;
}
