import type { TObject } from 'typebox';
import { systemClock } from '../kernel/clock.ts';
import { systemIds } from '../kernel/id.ts';
import { type Environment, readConfig } from '../kernel/process/config.ts';
import { armFailpoints } from '../kernel/process/failpoint.ts';
import { everyProcess, type ProcessSpec, startProcess } from '../kernel/process/process.ts';
import { makeLog } from '../kernel/telemetry/log.ts';
import { openLogDestination } from '../kernel/telemetry/log-destination.ts';
import { startTracing } from '../kernel/telemetry/trace.ts';
import { openPorts, type Ports, portsConfig } from '../ports/open.ts';
import { withSecrets } from '../ports/secrets/open.ts';
import { release } from './release.ts';

/** Runs one process until it is asked to stop. Exit code 0: everything closed in time. */
export async function runAlone<Need extends keyof Ports, Config extends TObject>(
  spec: ProcessSpec<Ports, Need, Config>,
  given: Environment = process.env,
): Promise<void> {
  const stop = Promise.withResolvers<string>();
  let asked = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      asked += 1;
      // Nothing is lost by ending at once; an orderly stop only saves others some waiting.
      if (asked > 1) process.exit(1);
      stop.resolve(signal);
    });
  }
  // Started by another program, it does not outlive that program.
  if (process.send) process.on('disconnect', () => stop.resolve('the parent process is gone'));
  const out = openLogDestination();
  let log = makeLog(spec.name, 'info', out);
  try {
    const env = await withSecrets(spec.name, given);
    const base = readConfig(spec.name, everyProcess, env);
    log = makeLog(spec.name, base.logLevel, out);
    // A test that started this process may arm failpoints while it runs.
    if (base.failpoints !== undefined) {
      process.on('message', ({ failpoints }: { readonly failpoints?: string }) => {
        if (failpoints === undefined) return;
        armFailpoints(failpoints);
        process.send?.({ armed: failpoints });
      });
    }
    const tracing = startTracing({ service: spec.name, version: release, otlpEndpoint: base.otlpEndpoint });
    process.on('unhandledRejection', (error) => {
      log.fatal({ err: error }, 'a fault that nobody handled');
      stop.resolve('fault');
      process.exitCode = 1;
    });
    const starting = startProcess(spec, {
      env,
      clock: systemClock,
      ids: systemIds,
      log,
      version: release,
      portsConfig,
      openPorts: openPorts(env),
    });
    starting.catch(() => undefined);
    const running = await Promise.race([starting, stop.promise]);
    if (typeof running === 'string') {
      // It may be waiting for servers that are away. Nothing has begun that an end could interrupt.
      log.info({ because: running }, 'stopped while starting');
      out.flush();
      process.exit();
    }
    // The parent process may be waiting for this line.
    process.send?.({ started: spec.name, healthUrl: running.healthUrl });
    log.info({ because: await stop.promise }, 'stopping');
    const late = await running.stop();
    await tracing.close();
    if (late.length > 0) process.exitCode = 1;
  } catch (error) {
    log.fatal({ err: error }, error instanceof Error ? error.message : `${spec.name} failed`);
    process.exitCode = 1;
  }
  out.flush();
  // Whatever a library left running must not keep a stopped process alive.
  process.exit();
}
