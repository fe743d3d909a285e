import type { TerminalEndReason, terminalGatewayEndReasons } from '@gpuaas/contract/terminal';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { TerminalApi } from '../api.ts';
import type { Home } from './home.ts';

const askAgainMs = 1_000;
const reportAgainMs = 30_000;
const mostReports = 30;

/** What has to be stored or said after sessions have ended; a gateway that stops waits for it. */
export function makeReports(parts: {
  readonly copyId: string;
  readonly api: TerminalApi;
  readonly log: Log;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
}) {
  const { api, log, copyId } = parts;
  const open = new Set<Promise<void>>();
  return {
    keep(work: Promise<unknown>): void {
      const done: Promise<void> = work
        .catch((error: unknown) => log.error({ err: error }, 'a terminal was not put to its end'))
        .then(() => void open.delete(done));
      open.add(done);
    },
    async report(home: Home, reason: TerminalEndReason, exitCode: number | null): Promise<void> {
      const { sessionId: session_id, sent, written } = home;
      const why = reason as (typeof terminalGatewayEndReasons)[number];
      const said = { copy_id: copyId, session_id, reason: why, exit_code: exitCode, sent, written };
      await reportEnd(api, said, parts).catch((error: unknown) =>
        log.error({ err: error, session_id }, 'the end of a terminal was not reported'),
      );
    },
    flush: async (): Promise<void> => void (await Promise.all(open)),
  };
}

/** Asks again until the api has heard it; a gateway that stops tries once more and leaves the rest to the api's own clock. */
async function reportEnd(
  api: TerminalApi,
  body: Parameters<TerminalApi['ask']>[1] & { readonly session_id: string },
  { clock, stopping }: { readonly clock: Clock; readonly stopping: AbortSignal },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await api.ask('ended', body as never);
      return;
    } catch (error) {
      if (attempt >= mostReports || stopping.aborted) throw error;
      const waitMs = Math.min(reportAgainMs, askAgainMs * attempt);
      await clock.sleep(waitMs, stopping).catch(() => undefined);
    }
  }
}
