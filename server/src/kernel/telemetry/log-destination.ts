import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DestinationStream } from 'pino';

/**
 * Where log lines go: standard output, or a file. Trouble there (a full disk, a reader that is slow or gone) never ends the
 * process, never fails a request and never keeps a stopping process alive: a bounded buffer keeps what it can, the rest is
 * counted and dropped, and the first line that is written again says how many are missing.
 *
 * The library's own destination is not used: on a full disk its last flush waits for ever.
 */
export interface LogDestination extends DestinationStream {
  /** Lines that were dropped so far. */
  lost(): number;
  /** Writes what is left, as far as that is possible. */
  flush(): void;
  close(): void;
}

const stdoutFd = 1;
const maxBufferBytes = 1_024 * 1_024;
/** Trouble is tried again this often, however many lines come meanwhile. */
const againMs = 200;

/** How the outside is written to; a test has one that fails. */
export type WriteOut = (bytes: Buffer) => number;

export function openLogDestination(path?: string, given?: WriteOut): LogDestination {
  const fd = given ? undefined : path === undefined ? stdoutFd : openFile(path);
  const out: WriteOut = given ?? ((bytes) => writeSync(fd ?? stdoutFd, bytes));
  let kept = Buffer.alloc(0);
  let lost = 0;
  let reported = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Writes until nothing is left or something is in the way. A line that was begun is finished first. */
  const push = (): void => {
    try {
      while (kept.length > 0) kept = kept.subarray(out(kept));
    } catch {
      timer ??= setTimeout(again, againMs).unref();
    }
  };
  const again = () => {
    timer = undefined;
    push();
    if (kept.length === 0 && lost > reported) report();
  };
  const report = () => {
    const msg = 'lines of this log could not be written and are missing';
    const note = { level: 'warn', time: new Date().toISOString(), service: 'log', lines: lost - reported, msg };
    reported = lost;
    kept = Buffer.from(`${JSON.stringify(note)}\n`);
    push();
  };
  return {
    write(line) {
      const bytes = Buffer.from(line);
      if (timer === undefined && kept.length === 0) {
        kept = bytes;
        push();
      } else if (kept.length + bytes.length <= maxBufferBytes) kept = Buffer.concat([kept, bytes]);
      else lost += 1;
    },
    lost: () => lost,
    flush: push,
    close() {
      push();
      clearTimeout(timer);
      if (fd !== undefined && fd !== stdoutFd) closeSync(fd);
    },
  };
}

/** A log that cannot be opened is no reason not to start: its lines go to standard output. */
function openFile(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const why = (error as Error).message;
    process.stderr.write(`The log ${path} cannot be written (${why}); it goes to standard output.\n`);
    return stdoutFd;
  }
}
