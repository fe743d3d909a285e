import { readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';

/**
 * Input for a terminal, awaited and without blocking. The library's own `write` does neither: it answers nothing, so that
 * what a program does not read piles up without a bound; and when a terminal is full, the event loop spins on it, so that
 * one person who pastes into a stopped program would stop the whole agent. So this writes to the terminal itself. The
 * kernel names it: `/proc` says which terminal the shell has, and which descriptor of the agent is its other end.
 *
 * The library closes the descriptor, and its number may then belong to something else. Both happen in the thread that runs
 * this; so it looks, right before each write, whether the number is still this very terminal.
 */
export interface PtyInput {
  /** Resolves when the terminal has taken all of it, or is gone. */
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

const masters = /^\/dev\/(?:ptmx|pts\/ptmx)$/;
const nonBlocking = 0o4000;
/** A terminal that is full is tried again after this time, and then less and less often. */
const retry = { firstMs: 1, maxMs: 50 };

const linkOf = (fd: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
};
const openMasters = (): string[] => readdirSync('/proc/self/fd').filter((fd) => masters.test(linkOf(fd)));

interface Facts {
  readonly terminal: string | undefined;
  readonly isNonBlocking: boolean;
}
function factsOf(fd: string): Facts | undefined {
  try {
    const text = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
    const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(text)?.[1] ?? '0', 8);
    return { terminal: /^tty-index:\s*(\d+)$/m.exec(text)?.[1], isNonBlocking: (flags & nonBlocking) !== 0 };
  } catch {
    return undefined;
  }
}

/** The number of the terminal that a process has; nothing until it has one. */
function terminalOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything; the rest comes after the last one.
    const device = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[deviceField]);
    // Major and minor number are mixed: the major one has bits 8 to 19.
    return device > 0 ? String((device & 0xff) | ((device >>> 20) << 8)) : undefined;
  } catch {
    return undefined;
  }
}
/** Of `/proc/PID/stat`, counted from the state, which comes after the name. */
const deviceField = 4;

interface Place {
  readonly fd: number;
  isStillThere(): boolean;
}
function findPlace(pid: number): Place | undefined {
  const terminal = terminalOf(pid);
  const fd = terminal && openMasters().find((one) => factsOf(one)?.terminal === terminal);
  if (!fd) return undefined;
  if (!factsOf(fd)?.isNonBlocking) throw new Error('A write to this terminal would block the agent.');
  return { fd: Number(fd), isStillThere: () => factsOf(fd)?.terminal === terminal };
}

export function makePtyInput(pid: number): PtyInput {
  let isOpen = true;
  let place: Place | undefined;
  /** How much it took; nothing when it is full, or when the program has not got its terminal yet. */
  const tryWrite = (bytes: Uint8Array): number => {
    place ??= findPlace(pid);
    if (!place) return 0;
    try {
      isOpen = place.isStillThere();
      return isOpen ? writeSync(place.fd, bytes) : 0;
    } catch (error) {
      // The other end is closed, or will not take anything any more.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') isOpen = false;
      return 0;
    }
  };
  return {
    async write(bytes) {
      let left = bytes;
      for (let waitMs = retry.firstMs; left.length > 0 && isOpen; ) {
        const taken = tryWrite(left);
        left = left.subarray(taken);
        if (taken > 0) waitMs = retry.firstMs;
        if (left.length === 0) return;
        await rest(waitMs);
        waitMs = Math.min(waitMs * 2, retry.maxMs);
      }
    },
    close() {
      isOpen = false;
    },
  };
}
