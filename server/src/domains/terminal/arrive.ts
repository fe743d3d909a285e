import { terminalSessionOpened } from '@gpuaas/contract';
import type { TerminalInternalInput, TerminalInternalOutput } from '@gpuaas/contract/terminal';
import { type BeginAct, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { holdsCertificate } from '../nodes/index.ts';
import { terminalChannel } from './facts.ts';
import { advanceToOpen } from './machine.ts';
import type { TerminalParts } from './parts.ts';
import { findRecording, type RecordingRow } from './recordings/store.ts';
import { factsOf } from './show.ts';
import { findSession, holdSession, moveSessionHome, type SessionRow } from './store.ts';

interface ArriveParts extends Pick<TerminalParts, 'db' | 'policies'> {
  readonly begin: BeginAct;
}

export const absent = () => new Fault('terminal_session_not_found', 'There is no such terminal session.');
/** A session that ended for want of its recording says so: a client that waits for its shell learns why there is none. */
export const over = ({ end_reason }: SessionRow) =>
  new Fault(
    end_reason === 'recorder_failed' || end_reason === 'recording_full'
      ? 'terminal_not_recorded'
      : 'terminal_session_ended',
    `The session has ended (${end_reason}).`,
  );
export const originOf = (row: SessionRow, { correlationId }: { readonly correlationId: string }) => ({
  ...{ correlationId, organizationId: row.organization_id, projectId: row.project_id },
});
export const targetOf = (row: SessionRow) => ({ type: 'terminal_session', id: row.id });

/** Where a home goes on recording; null when output is not recorded. */
const placeOf = ({ policies }: ArriveParts, row: SessionRow, recording: RecordingRow | undefined) =>
  recording?.kind === 'output'
    ? {
        ...{ chunks: recording.chunks, last_ms: Number(recording.last_ms) },
        began_at: recording.began_at?.toISOString() ?? null,
        records_input: recording.records_input,
        patience_seconds: policies.number('terminal.recorder_patience_seconds', {
          ...{ actorId: row.user_id, organizationId: row.organization_id, projectId: row.project_id },
        }),
      }
    : null;

/** The node of a session has come to a gateway copy, which is its home from now on. */
export function makeArrive(parts: ArriveParts) {
  const { db } = parts;
  return async (
    input: TerminalInternalInput<'arrive'>,
    call: { readonly correlationId: string },
  ): Promise<TerminalInternalOutput<'arrive'> | Fault> => {
    const viewer = systemViewer('terminal', { correlationId: call.correlationId });
    const known = await db.read(viewer, (tx) => findSession(tx, input.session_id));
    if (known?.node_id !== input.node_id) return absent();
    const written = await db.write(parts.begin('terminal_session.arrive', originOf(known, call)), async (tx) => {
      const row = await holdSession(tx, known.id);
      if (!row) return tx.abandon(absent());
      if (row.state === 'ended') return tx.abandon(over(row));
      if (!(await holdsCertificate(tx, input.node_id, input.certificate_serial.toLowerCase()))) {
        return tx.abandon(new Fault('token_invalid', 'The certificate of the node is unknown, expired or revoked.'));
      }
      tx.wake(terminalChannel, row.id);
      const receipt = { target: targetOf(row), change: { node_id: row.node_id, copy_id: input.copy_id } };
      if (row.state !== 'opening') {
        await moveSessionHome(tx, row.id, input.copy_id, input.peer_url);
        return tx.commit({ row, recording: await findRecording(tx, row.id) }, { ...receipt, events: 'none' });
      }
      const moved = await advanceToOpen(tx, row.id, { copyId: input.copy_id, peerUrl: input.peer_url });
      if (!moved || moved instanceof Fault) return tx.abandon(absent());
      const event = terminalSessionOpened.of(row.id, {
        ...{ session_id: row.id, allocation_id: row.allocation_id, organization_id: row.organization_id },
        ...{ project_id: row.project_id, user_id: row.user_id, simulated: row.simulated, version: moved.version },
        expires_at: row.expires_at.toISOString(),
      });
      return tx.commit({ row, recording: await findRecording(tx, row.id) }, { ...receipt, events: [event] });
    });
    if (written instanceof Fault) return written;
    const { row, recording } = written.value;
    return {
      session: factsOf(row),
      recorded: Number(recording?.recorded_to ?? 0),
      recording: placeOf(parts, row, recording),
    };
  };
}
