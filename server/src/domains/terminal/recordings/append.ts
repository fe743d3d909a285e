import type { TerminalInternalInput, TerminalInternalOutput } from '@gpuaas/contract/terminal';
import { type BeginAct, type Database, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import type { Policies } from '../../policy/index.ts';
import { beforeTheFirst, bytesPerMib, digestInKey, sequenceDigits } from '../facts.ts';
import { findSession, holdSession, type SessionRow } from '../store.ts';
import { bytesIn, digestOf, encodeChunk } from './chunk.ts';
import { appendChunk, findChunk, findRecording, type RecordingRow } from './store.ts';

export interface AppendParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly objects: Pick<Objects, 'put'>;
  readonly policies: Pick<Policies, 'number'>;
}
type Input = TerminalInternalInput<'record'>;

const absent = () => new Fault('terminal_recording_not_found', 'The session has no recording.');
const conflict = (why: string) => new Fault('terminal_recording_conflict', why);

/**
 * Stores one chunk. The bytes go to the object store first, under a key with their digest; then the row follows, if the recording
 * still ends where the chunk begins and the home of the session is still the copy that asks. Two copies that believe to be the home
 * cannot both go on: the second one is refused. The same chunk again, because the answer got lost, is answered again.
 */
export function makeAppend(parts: AppendParts) {
  const { db, objects, policies } = parts;
  const refusal = (session: SessionRow, recording: RecordingRow, input: Input): Fault | undefined => {
    if (session.home_copy !== input.copy_id) return conflict('Another gateway copy records the session.');
    if (recording.finished_at !== null) return conflict('The recording has its last chunk.');
    if (input.sequence !== recording.chunks + 1) return conflict(`The next chunk is ${recording.chunks + 1}.`);
    if (BigInt(input.from) !== recording.recorded_to) return conflict(`Output goes on at ${recording.recorded_to}.`);
    return undefined;
  };
  /** Whether the chunk is the one that is stored last: then its answer was lost. */
  const isRepeated = async (recording: RecordingRow, input: Input, payload: Buffer, correlationId: string) => {
    if (input.sequence !== recording.chunks) return false;
    const stored = await db.read(systemViewer('terminal', { correlationId }), (tx) =>
      findChunk(tx, recording.id, input.sequence),
    );
    return stored !== undefined && stored.sha256 === digestOf(bodyOf(input, payload, stored.previous_sha256));
  };
  return async (
    input: Input,
    { correlationId }: { readonly correlationId: string },
  ): Promise<TerminalInternalOutput<'record'> | Fault> => {
    const known = await db.read(systemViewer('terminal', { correlationId }), async (tx) => {
      const session = await findSession(tx, input.session_id);
      const recording = session && (await findRecording(tx, session.id));
      return session && recording?.kind === 'output' ? { session, recording } : undefined;
    });
    if (!known) return absent();
    const { session, recording } = known;
    const payload = Buffer.from(input.payload, 'base64');
    const said = bytesIn(input.events);
    if (said.all !== payload.length || said.output !== input.to - input.from) {
      return new Fault('validation_error', 'The events do not speak of the bytes that came.', { field: 'events' });
    }
    if (await isRepeated(recording, input, payload, correlationId)) return { recorded: input.to };
    const refused = refusal(session, recording, input);
    if (refused) return refused;
    const previous = recording.last_sha256 ?? beforeTheFirst;
    const body = bodyOf(input, payload, previous);
    const who = { organizationId: session.organization_id, projectId: session.project_id, actorId: session.user_id };
    const most = BigInt(policies.number('terminal.recording_max_mib', who)) * BigInt(bytesPerMib);
    if (recording.stored_bytes + BigInt(body.length) > most) {
      return new Fault('terminal_not_recorded', 'The recording is full.');
    }
    const sha256 = digestOf(body);
    const key = keyOf(recording, input.sequence, sha256);
    await objects.put(key, body, { contentType: 'application/octet-stream' });
    const origin = { correlationId, organizationId: session.organization_id, projectId: session.project_id };
    const written = await db.write(parts.begin('terminal_recording.append', origin), async (tx) => {
      const held = await holdSession(tx, session.id);
      const now = held && (await findRecording(tx, session.id));
      if (!held || !now) return tx.abandon(absent());
      const late = refusal(held, now, input);
      if (late) return tx.abandon(late);
      await appendChunk(tx, now, {
        ...{ sequence: input.sequence, from_offset: BigInt(input.from), to_offset: BigInt(input.to), sha256 },
        ...{ size_bytes: body.length, previous_sha256: previous, object_key: key, final: input.final },
        last_ms: input.events.at(-1)?.[0] ?? Number(now.last_ms),
      });
      return tx.commit(undefined, {
        target: { type: 'terminal_recording', id: now.id },
        change: { sequence: input.sequence, sha256, final: input.final },
        events: 'none',
      });
    });
    return written instanceof Fault ? written : { recorded: input.to };
  };
}

const bodyOf = (input: Input, payload: Buffer, previous: string): Buffer => {
  const { session_id: recording_id, sequence, from, to, final, events } = input;
  return encodeChunk({ recording_id, sequence, from, to, previous, final, events }, payload);
};
/** All keys of a recording lie under one prefix. */
export const prefixOf = ({ organization_id, id }: Pick<RecordingRow, 'organization_id' | 'id'>): string =>
  `recordings/${organization_id}/${id}/`;
const keyOf = (recording: RecordingRow, sequence: number, sha256: string): string =>
  `${prefixOf(recording)}${String(sequence).padStart(sequenceDigits, '0')}-${sha256.slice(0, digestInKey)}`;
