import { terminalSessionMachine } from '@gpuaas/contract';
import type { TerminalEndReason } from '@gpuaas/contract/terminal';
import type { WriteTx } from '../../kernel/act.ts';
import { makeAdvance } from '../../kernel/machine.ts';
import { lockSession, moveSession } from './store.ts';

/** The only code that changes the state of a terminal session. */
const advance = makeAdvance(terminalSessionMachine, { lock: lockSession, move: moveSession });

/** To `open`: its shell has come, at this gateway copy. */
export const advanceToOpen = (tx: WriteTx, id: string, home: { readonly copyId: string; readonly peerUrl: string }) =>
  advance(tx, id, 'open', undefined, [null, home.copyId, home.peerUrl]);
/** To `ended`, once. */
export const advanceToEnd = (tx: WriteTx, id: string, reason: TerminalEndReason) =>
  advance(tx, id, 'end', undefined, [reason, null, null]);
