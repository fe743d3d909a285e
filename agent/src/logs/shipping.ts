import { droppedLinesHeader, logPushLimits, nodeTransport } from '@gpuaas/contract/node';
import { backoffMs, type Chance, jittered } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Disk } from '../disk.ts';
import type { Host } from '../host/port.ts';
import { inTime } from '../in-time.ts';
import type { ServerTime } from '../server-time.ts';
import { openBatchJournal } from '../telemetry/journal.ts';
import type { Log, LogLevel } from '../telemetry/log.ts';
import type { LogConnection } from './connection.ts';
import { consoleEntry, entryOf, isEntry, type LogEntry, pushOf } from './entry.ts';

/** Keeps what the agent and its machines say, and pushes it to the gateway that the control plane names. */
export interface LogShipping {
  /** The log of the agent, which goes where it went before and here as well. */
  readonly log: Log;
  /** Where to push from now on; undefined: nowhere, and lines are kept within their bound. */
  hear(url: string | undefined): void;
  run(signal: AbortSignal): Promise<void>;
  readonly waiting: number;
  readonly lost: number;
}

const limitMs = 20_000;
const taken = 204;
const spread = 0.2;
const retry = { firstMs: 2_000, maxMs: 60_000 };
/** The lines are not as declared: sent again they would be refused again. */
const malformed = [400, 413, 422];
/** On disk: some days of a quiet node, and some minutes of a loud one. */
const capBytes = 16 * 1_024 * 1_024;
/** In memory, between two looks. */
const mostHeld = 2_000;
const pushedLevels: readonly LogLevel[] = ['info', 'warn', 'error'];
/** A push has to stay below its limit in bytes; lines may be long. */
const pushBytes = logPushLimits.bytes / 2;

export async function openLogShipping(parts: {
  readonly host: Pick<Host, 'consoles'>;
  readonly connection: LogConnection;
  readonly time: Pick<ServerTime, 'now'>;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly disk: Disk;
  readonly dir: string;
  readonly everyMs: number;
}): Promise<LogShipping> {
  const { clock, chance, time } = parts;
  const journal = await openBatchJournal({
    ...{ disk: parts.disk, dir: parts.dir, capBytes, most: logPushLimits.lines, isItem: isEntry },
  });
  let held: LogEntry[] = [];
  let lostHere = 0;
  let reported = 0;
  let url: string | undefined;
  const lost = () => lostHere + journal.lost;
  const hold = (entry: LogEntry): void => {
    if (held.length < mostHeld) held.push(entry);
    else lostHere += 1;
  };
  const say = (level: LogLevel) => (fields: object, message: string) => {
    parts.log[level](fields, message);
    if (pushedLevels.includes(level)) hold(entryOf(level, time.now(), fields, message));
  };
  const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };

  const gather = async (): Promise<void> => {
    const at = time.now();
    for (const { allocationId, text } of await inTime(parts.host.consoles()))
      hold(consoleEntry(at, allocationId, text));
    const entries = held;
    held = [];
    for (const batch of inBatches(entries)) await journal.append(batch);
  };
  const push = async (to: string, signal: AbortSignal): Promise<void> => {
    const client = await parts.connection.to(to);
    for (let batch = await journal.next(); batch && !signal.aborted; batch = await journal.next()) {
      const given = lost();
      const answer = await client.call({
        ...{ ...nodeTransport.logs, body: pushOf(batch.items), limitMs, signal },
        headers: { [droppedLinesHeader]: String(given - reported) },
      });
      if (malformed.includes(answer.status)) {
        parts.log.error({ lines: batch.items.length, status: answer.status }, 'the log gateway will not take lines');
      } else if (answer.status !== taken) {
        throw Object.assign(new Error(`the log gateway answered ${answer.status}`), { waitMs: answer.retryAfterMs });
      } else reported = given;
      await batch.done();
    }
  };
  return {
    log,
    hear: (next) => {
      url = next;
    },
    get waiting() {
      return held.length + journal.waiting;
    },
    get lost() {
      return lost();
    },
    async run(signal) {
      const gathering = async () => {
        while (!signal.aborted) {
          await gather().catch((error: unknown) => parts.log.warn({ err: error }, 'lines could not be kept'));
          await sleepWell(clock, jittered(parts.everyMs, spread, chance), signal);
        }
        await gather().catch(() => undefined);
      };
      const pushing = async () => {
        let failures = 0;
        while (!signal.aborted) {
          let waitMs = parts.everyMs;
          try {
            if (url !== undefined && journal.waiting > 0) await push(url, signal);
            failures = 0;
          } catch (error) {
            if (signal.aborted) return;
            failures += 1;
            // Said once for an outage: each further line about it would be one more to push.
            if (failures === 1) log.warn({ err: error }, 'lines could not be pushed; they are kept');
            waitMs = (error as { waitMs?: number }).waitMs ?? backoffMs(retry, failures, chance);
          }
          await sleepWell(clock, jittered(waitMs, spread, chance), signal);
        }
      };
      await Promise.all([gathering(), pushing()]).finally(parts.connection.close);
    },
  };
}

/** At most so many lines and bytes each. */
function* inBatches(entries: readonly LogEntry[]): Generator<LogEntry[]> {
  let batch: LogEntry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const length = JSON.stringify(entry).length;
    if (batch.length > 0 && (batch.length >= logPushLimits.lines || bytes + length > pushBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(entry);
    bytes += length;
  }
  if (batch.length > 0) yield batch;
}
