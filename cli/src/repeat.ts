import { setTimeout as sleep } from 'node:timers/promises';
import { wakeUps } from '@gpuaas/sdk';
import { failureFrom } from './account/session.ts';
import { answeringTo } from './around.ts';
import type { CommandSpec, Run, Session, Surroundings } from './command.ts';
import { type ExitCode, exitCodes, usageFailure } from './failure.ts';
import { formatOf } from './show/output.ts';

/** The polling interval where no event stream is available. */
const lookAgainMs = 2_000;

const sleepFor = (ms: number, signal?: AbortSignal): Promise<void> => sleep(ms, undefined, signal && { signal });

/**
 * Repeats a reading command: on a terminal in place, in a pipe when the output has changed, with ndjson only the
 * changed rows. It ends when interrupted.
 */
export async function runAgainAndAgain(
  { name, reads }: CommandSpec,
  run: Run,
  open: (around: Surroundings) => Session,
  around: Surroundings,
): Promise<ExitCode> {
  if (!reads) throw usageFailure(`gpuaas ${name} changes something; only commands that read can be watched.`);
  let text = '';
  const { isTTY } = around.stdout;
  const caught = { write: (more: string) => (text += more), ...(isTTY !== undefined && { isTTY }) };
  const session = open(answeringTo(around, caught));
  const byRow = formatOf(session) === 'ndjson';
  const over = new AbortController();
  let last: string | undefined;
  let wakes: ReturnType<typeof wakeUps> | undefined;
  try {
    for (;;) {
      text = '';
      try {
        await run(session);
        if (text !== last) show(around, text, last, byRow);
        last = text;
      } catch (error) {
        // A network failure is retried; any other error ends the watch.
        const failure = failureFrom(error);
        if (last === undefined || failure?.exitCode !== exitCodes.server) throw error;
        around.stderr.write(`${failure.message}\n`);
      }
      const { adminOps, events } = await session.api();
      const listen = name.startsWith('ops ') ? adminOps.eventStream : events.stream;
      wakes ??= wakeUps(listen({}, { signal: over.signal }), around.parts?.sleep ?? sleepFor);
      await wakes.next(lookAgainMs);
    }
  } finally {
    over.abort();
  }
}

function show({ stdout }: Surroundings, text: string, last: string | undefined, byRow: boolean): void {
  if (stdout.isTTY === true) {
    // Lines are overwritten in place, so that nothing flickers; the rest of the last output is cleared.
    const lines = text.replaceAll('\n', '\u001b[K\n');
    stdout.write(`${last === undefined ? '\u001b[2J' : ''}\u001b[H${lines}\u001b[J`);
    return;
  }
  const before = new Set(last?.split('\n'));
  const fresh = text.split('\n').filter((line) => line !== '' && !before.has(line));
  if (!byRow) stdout.write(last === undefined ? text : `\n${text}`);
  else if (fresh.length > 0) stdout.write(`${fresh.join('\n')}\n`);
}
