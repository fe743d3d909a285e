import type { TerminalInternalInput, TerminalInternalOutput, TerminalInternalRoute } from '@gpuaas/contract/terminal';
import { type BeginAct, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { secondMs } from '../../kernel/units.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { absent, makeArrive, originOf, over, targetOf } from './arrive.ts';
import { type AttachParts, makeAttach } from './attach.ts';
import { endSession } from './end.ts';
import { longestWaitMs } from './facts.ts';
import { makeJump } from './jump/open.ts';
import { makeAppend } from './recordings/append.ts';
import { findRecording } from './recordings/store.ts';
import { findSession, holdSession, listAtHome, listEnded, listHomes, noteEnd, type SessionRow } from './store.ts';
import type { SessionWakes } from './wakes.ts';

/** Who asks, as far as the listener knows. */
export interface InternalCall {
  readonly correlationId: string;
  /** Aborts when the caller has gone: what waits is let go. */
  readonly signal?: AbortSignal;
}
/** A handler for each internal route: the listener has checked the caller and the input. */
export type TerminalInternal = {
  readonly [R in TerminalInternalRoute]: (
    input: TerminalInternalInput<R>,
    call: InternalCall,
  ) => Promise<TerminalInternalOutput<R> | Fault>;
};
export interface TerminalInternalParts extends AttachParts {
  readonly begin: BeginAct;
  readonly objects: Objects;
  readonly wakes: SessionWakes;
}

/** What terminal gateways ask: the API is the authority about tokens, sessions and rights, and gateways keep none of it. */
export function makeTerminalInternal(parts: TerminalInternalParts): TerminalInternal {
  const { db, live, wakes } = parts;
  const look = (correlationId: string) => systemViewer('terminal', { correlationId });
  const read = (id: string, { correlationId }: InternalCall) =>
    db.read(look(correlationId), (tx) => findSession(tx, id));
  const homeOf = async (row: SessionRow, except: string | undefined) =>
    row.home_copy !== null && row.home_peer_url !== null && row.home_copy !== except
      ? { copy_id: row.home_copy, peer_url: row.home_peer_url }
      : null;

  return {
    attach: makeAttach(parts),

    arrive: makeArrive(parts),

    record: makeAppend(parts),

    ...makeJump(parts),

    async home(input, call) {
      const until = parts.clock.now().getTime() + Math.min(longestWaitMs, input.wait_seconds * secondMs);
      for (;;) {
        const row = await read(input.session_id, call);
        if (!row) return absent();
        if (row.state === 'ended') return over(row);
        const home = await homeOf(row, input.except_copy_id);
        const left = until - parts.clock.now().getTime();
        if (home || left <= 0 || call.signal?.aborted) return { home };
        await wakes.wait(new Set([row.id]), left, call.signal);
      }
    },

    async watch(input, call) {
      const ids = input.sessions.map(({ id }) => id);
      // A copy speaks for the sessions whose node arrived there, and for no others.
      const own = await db.read(look(call.correlationId), (tx) => listAtHome(tx, ids, input.copy_id));
      await live.hear(
        input.copy_id,
        input.sessions.filter(({ id }) => own.has(id)),
      );
      const ended = () => db.read(look(call.correlationId), (tx) => listEnded(tx, ids));
      let rows = await ended();
      if (rows.length === 0 && input.wait_seconds > 0) {
        const ms = Math.min(longestWaitMs, input.wait_seconds * secondMs);
        await wakes.wait(new Set(ids), ms, call.signal);
        rows = await ended();
      }
      const homes = await db.read(look(call.correlationId), listHomes);
      return {
        end: rows.map(({ id, end_reason }) => ({ session_id: id, reason: end_reason })),
        gone_copies: await live.gone(homes.filter((copy) => copy !== input.copy_id)),
      };
    },

    async ended(input, call) {
      const known = await read(input.session_id, call);
      if (!known) return absent();
      const written = await db.write(parts.begin('terminal_session.ended', originOf(known, call)), async (tx) => {
        const row = await holdSession(tx, known.id);
        // Held, so that a node which moves meanwhile keeps its session.
        if (row?.home_copy !== input.copy_id) return tx.abandon(absent());
        const event = await endSession(tx, parts.clock, row, input.reason, input);
        await noteEnd(tx, row.id, { sent: input.sent, written: input.written, exitCode: input.exit_code });
        // The audit chain seals the digest of the last chunk, which covers all chunks of the recording.
        const recording = await findRecording(tx, row.id);
        return tx.commit(undefined, {
          target: targetOf(row),
          change: {
            ...{ end_reason: input.reason, exit_code: input.exit_code, sent: input.sent, written: input.written },
            ...(recording?.last_sha256 && {
              recording_chunks: recording.chunks,
              recording_sha256: recording.last_sha256,
            }),
          },
          events: event ? [event] : 'none',
        });
      });
      return written instanceof Fault ? written : {};
    },
  };
}
