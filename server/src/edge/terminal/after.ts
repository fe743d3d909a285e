import type { Log } from '../../kernel/telemetry/log.ts';

/** Acts when a moment has come, for callers that do not wait for it. What goes wrong is logged. */
export function after<T>(moment: Promise<T>, log: Log, act: (value: T) => unknown): void {
  moment.then(act).catch((error: unknown) => log.error({ err: error }, 'a connection of a terminal went wrong'));
}
