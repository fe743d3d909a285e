import type { TerminalHello, TerminalPeerJoin } from '@gpuaas/contract/terminal';
import type { Home } from './home/home.ts';
import { type ClientSays, makeSeat } from './home/seat.ts';
import type { Wire } from './wire.ts';

/** The way of one client to the home of its session: in this process, or over a connection to another copy. */
export interface Link {
  takeInput(bytes: Buffer): void;
  takeFrame(frame: ClientSays, text: string): void;
  /** The offset of the next output that the client gets. */
  readonly passed: number;
  /** A home has taken the client in. A copy where the agent has not settled yet turns it away without that. */
  readonly taken: Promise<true>;
  /** The client has left. */
  leave(): void;
  /** Why the way is closed. 4503: look for the home again. */
  readonly gone: Promise<number>;
}

export interface JoinOrder {
  /** The client has been in this session before, at another home, and has the output up to `hello.from`. */
  readonly isRejoin: boolean;
  readonly wire: Wire;
  readonly join: TerminalPeerJoin;
  readonly hello: TerminalHello;
}

/** A client of this copy, at a home of this copy. */
export function linkHere(home: Home, { wire, join, hello, isRejoin }: JoinOrder): Link {
  const gone = Promise.withResolvers<number>();
  const seat = makeSeat({
    wire,
    join,
    has: isRejoin ? hello.from : undefined,
    onDismissed: gone.resolve,
    onSent: () => home.drained(seat),
  });
  home.join(seat, hello, join.takes_over);
  return {
    takeInput: (bytes) => home.takeInput(seat, bytes),
    takeFrame: (frame) => home.takeClientFrame(seat, frame),
    get passed() {
      return seat.next;
    },
    taken: Promise.resolve(true as const),
    leave: () => home.leave(seat),
    gone: gone.promise,
  };
}
