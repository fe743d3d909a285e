import type { Given, Run, Session, Surroundings } from './command.ts';
import { type ExitCode, exitCodes, usageFailure } from './failure.ts';
import { failureFrom } from './session.ts';
import { wakeUps } from './watch.ts';

/** Events wake us; what has none, or whoever may not hear them, is looked at this often. */
const lookAgainMs = 2_000;

/**
 * A command that only looks, again and again: on a terminal its answer stays in its place, in a pipe it is printed when
 * it has changed, and with ndjson only the rows that did. It ends when it is stopped.
 */
export async function runAgainAndAgain(
  run: Run,
  open: (around: Surroundings) => Session,
  { values }: Given,
  around: Surroundings,
): Promise<ExitCode> {
  let text = '';
  const { isTTY, columns } = around.stdout;
  const caught = {
    write: (more: string) => (text += more),
    ...(isTTY !== undefined && { isTTY }),
    ...(columns !== undefined && { columns }),
  };
  const session = open({ ...around, stdout: caught, stderr: around.stderr });
  const over = new AbortController();
  let last: string | undefined;
  let wakes: ReturnType<typeof wakeUps> | undefined;
  try {
    for (;;) {
      text = '';
      try {
        await run(session);
        if (text !== last) show(around, text, last, values['output'] === 'ndjson');
        last = text;
      } catch (error) {
        // What is out of reach for a moment comes back; anything else will not go away by looking again.
        const failure = failureFrom(error);
        if (last === undefined || failure?.exitCode !== exitCodes.server) throw error;
        around.stderr.write(`${failure.message}\n`);
      }
      wakes ??= wakeUps(await session.api(), {}, over.signal);
      await wakes.next(lookAgainMs, session);
    }
  } finally {
    over.abort();
  }
}

function show({ stdout }: Surroundings, text: string, last: string | undefined, byRow: boolean): void {
  if (stdout.isTTY === true) {
    // Written over line by line, so that nothing flickers; whatever is left of the last answer is cleared.
    const lines = text.replaceAll('\n', '\u001b[K\n');
    stdout.write(`${last === undefined ? '\u001b[2J' : ''}\u001b[H${lines}\u001b[J`);
    return;
  }
  const before = new Set(last?.split('\n'));
  const fresh = text.split('\n').filter((line) => line !== '' && !before.has(line));
  if (!byRow) stdout.write(last === undefined ? text : `\n${text}`);
  else if (fresh.length > 0) stdout.write(`${fresh.join('\n')}\n`);
}

export const assertReads = (name: string, reads: true | undefined): void => {
  if (!reads) throw usageFailure(`gpuaas ${name} does something; only what looks can be watched.`);
};
