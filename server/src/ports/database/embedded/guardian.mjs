/**
 * The guardian: a small program between us and the database server.
 *
 * A server that is a plain child of ours would live on when we are killed without a word, and hold the data for ever.
 * So this program starts it and keeps a channel to us open. The operating system closes the channel when we die, in
 * whatever way, and the guardian then stops the server in order and ends too. It stands in a session of its own, so
 * the Ctrl-C of a terminal reaches us alone and we decide when the database goes (last).
 *
 * It also keeps the server's log within bounds, and tells us when the server accepts connections.
 *
 * It is plain JavaScript because it lives as long as the database and has a process to itself: the machinery that reads
 * TypeScript would double what that process costs.
 *
 * @typedef {import('./launch.ts').Charge} Charge
 * @typedef {import('./launch.ts').Report} Report
 */
import { spawn } from 'node:child_process';
import { appendFileSync, renameSync, statSync } from 'node:fs';

const logFileBytes = 1024 * 1024;
const rememberedChars = 4_000;
const quitWithinMs = 5_000;

/** @param {Charge} charge */
function guard(charge) {
  let said = '';
  let stopping = false;
  const server = spawn(charge.postgres, charge.options, {
    ...charge.account,
    cwd: charge.cwd,
    env: charge.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });

  const write = makeBoundedLog(charge.logFile);
  server.stderr.setEncoding('utf8').on('data', (text) => {
    write(text);
    const before = said;
    said = (said + text).slice(-rememberedChars);
    const ready = 'database system is ready to accept connections';
    if (said.includes(ready) && !before.includes(ready) && server.pid !== undefined) {
      tell({ kind: 'ready', pid: server.pid });
    }
  });

  const stop = () => {
    if (stopping) return;
    stopping = true;
    // Fast, then immediate, then without asking: each is a recoverable end, and the last always works.
    server.kill('SIGINT');
    setTimeout(() => server.kill('SIGQUIT'), charge.stopWithinMs).unref();
    setTimeout(() => server.kill('SIGKILL'), charge.stopWithinMs + quitWithinMs).unref();
  };
  process.on('disconnect', stop);
  process.on('message', stop);
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('SIGHUP', stop);
  if (!process.connected) stop();

  /** @param {string} because */
  const end = (because) => tell({ kind: 'ended', said: because }, () => process.exit(stopping ? 0 : 1));
  server.on('error', (error) => end(error.message));
  server.on('close', () => end(said.trim()));
}

/** @param {Report} report */
function tell(report, afterwards = () => {}) {
  // A parent that is gone is no reason to fail: the order to stop comes with its disconnection.
  if (process.send && process.connected) process.send(report, undefined, undefined, afterwards);
  else afterwards();
}

/**
 * Appends to a file and starts a new one when it is full; the one before is kept.
 *
 * @param {string} path
 * @returns {(text: string) => void}
 */
function makeBoundedLog(path) {
  let size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return (text) => {
    try {
      if (size > logFileBytes) {
        renameSync(path, `${path}.1`);
        size = 0;
      }
      appendFileSync(path, text, { mode: 0o600 });
      size += Buffer.byteLength(text);
    } catch {
      // A full disk must not take the database with it; the lines are lost, the server goes on.
    }
  };
}

const [charge] = process.argv.slice(2);
if (charge !== undefined) guard(JSON.parse(charge));
