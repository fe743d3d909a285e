import {
  type TerminalClientFrame,
  type TerminalNoticeCode,
  type TerminalPeerJoin,
  terminalLimits,
  terminalNotices,
} from '@gpuaas/contract/terminal';
import type { Wire } from '../wire.ts';

/** A client of a session at its home: a browser of this copy, or one of another copy that came over the peer connection. */
export interface Seat {
  readonly role: TerminalPeerJoin['role'];
  readonly isAdmin: boolean;
  /** The offset of the next output that this client gets. */
  readonly next: number;
  /** What waits on its connection. */
  readonly waitingBytes: number;
  /** How far the client has read, as far as the home knows. */
  readonly read: number;
  /** Where the client begins; what lies before is not sent to it. */
  start(from: number): void;
  /** Output that begins at this offset; what the client has already is left out. */
  give(at: number, bytes: Buffer): void;
  say(frame: object): void;
  notice(code: TerminalNoticeCode): void;
  /** Takes an acknowledgement; answers whether it says something new. */
  acknowledge(offset: number): boolean;
  /** No input is read from this client for now. */
  holdInput(why: 'node' | 'homeless' | 'recorder'): void;
  releaseInput(why: 'node' | 'homeless' | 'recorder'): void;
  /** The session is over for this client, or has to be looked for again (4503). */
  dismiss(code: number): void;
}
export interface SeatParts {
  readonly wire: Wire;
  /** A client that has come back has output up to here; a `ready` that says just that is not repeated to it. */
  readonly has?: number | undefined;
  readonly join: Pick<TerminalPeerJoin, 'role' | 'watched_by'>;
  /** How the owner of the wire hears that it has to leave. */
  readonly onDismissed: (code: number) => void;
  /** The network has taken something that was sent. */
  readonly onSent: () => void;
}

export function makeSeat(parts: SeatParts): Seat {
  const { wire, join } = parts;
  let next = 0;
  let read = 0;
  let holdsInput = false;
  let isDismissed = false;
  const dismiss = (code: number): void => {
    if (isDismissed) return;
    isDismissed = true;
    wire.resume('node');
    wire.resume('homeless');
    wire.resume('recorder');
    parts.onDismissed(code);
  };
  return {
    role: join.role,
    isAdmin: join.watched_by === 'admin',
    get next() {
      return next;
    },
    get waitingBytes() {
      return wire.waitingBytes;
    },
    get read() {
      // Acknowledgements come on the wire that is held. Meanwhile what the network took counts as read: otherwise a program that
      // answers its input would wait for acknowledgements, and they for the program.
      return holdsInput ? Math.max(read, next - wire.waitingBytes) : read;
    },
    start(from) {
      next = from;
      read = from;
    },
    give(at, bytes) {
      const skipped = Math.max(0, next - at);
      if (isDismissed || skipped >= bytes.length) return;
      const rest = skipped === 0 ? bytes : bytes.subarray(skipped);
      next = at + bytes.length;
      wire.sendBytes(rest, parts.onSent);
      if (join.role === 'watcher' && wire.waitingBytes > terminalLimits.watcherLagBytes) dismiss(4508);
    },
    say(frame) {
      const { type, from } = frame as { readonly type?: string; readonly from?: number };
      if (type !== 'ready' || from !== parts.has) wire.sendText(frame);
    },
    notice: (code) => wire.sendText({ type: 'notice', code, text: terminalNotices[code] }),
    acknowledge(offset) {
      if (offset <= read || offset > next) return false;
      read = offset;
      return true;
    },
    holdInput(why) {
      holdsInput = true;
      wire.pause(why);
    },
    releaseInput(why) {
      wire.resume(why);
      holdsInput = wire.isPaused;
    },
    dismiss,
  };
}

export type ClientSays = Exclude<TerminalClientFrame, { type: 'hello' }>;
