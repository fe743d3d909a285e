import { type DeclaredEvent, terminalSessionEnded } from '@gpuaas/contract';
import type { TerminalEndReason } from '@gpuaas/contract/terminal';
import type { WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { secondMs } from '../../kernel/units.ts';
import { terminalChannel } from './facts.ts';
import { advanceToEnd } from './machine.ts';
import type { SessionRow } from './store.ts';

/**
 * Ends a session in the caller's transaction and answers the event. The gateway that holds its connections is woken after the
 * commit and closes them; the agent then ends the shell. Undefined when the session has ended before.
 */
export async function endSession(
  tx: WriteTx,
  clock: Clock,
  row: SessionRow,
  reason: TerminalEndReason,
  bytes?: { readonly sent: number; readonly written: number },
): Promise<DeclaredEvent | undefined> {
  const moved = await advanceToEnd(tx, row.id, reason);
  if (!moved || moved instanceof Fault) return undefined;
  tx.wake(terminalChannel, row.id);
  const began = row.opened_at ?? row.created_at;
  return terminalSessionEnded.of(row.id, {
    ...{ session_id: row.id, allocation_id: row.allocation_id, organization_id: row.organization_id },
    ...{ project_id: row.project_id, user_id: row.user_id, simulated: row.simulated, version: moved.version },
    reason,
    opened: row.opened_at !== null,
    seconds: Math.max(0, Math.floor((clock.now().getTime() - began.getTime()) / secondMs)),
    sent_bytes: bytes?.sent ?? null,
    received_bytes: bytes?.written ?? null,
  });
}
