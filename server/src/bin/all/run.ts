import { systemClock } from '../../kernel/clock.ts';
import { ConfigFault, type Environment } from '../../kernel/process/config.ts';
import { EmbeddedPostgresUnavailable } from '../../ports/database/embedded.ts';
import { help, readOptions, UsageFault } from './options.ts';
import { startAll } from './start.ts';

/** Each process has its own deadline; this one holds when several of them, or the database, do not answer. */
const stopWithinMs = 40_000;

/** `npm start`: from the command line to the exit code. */
export async function runAll(args: readonly string[], env: Environment): Promise<void> {
  try {
    const options = readOptions(args, env, process.getuid?.());
    if (options.help) {
      process.stdout.write(help);
      return;
    }
    const asked = Promise.withResolvers<undefined>();
    let times = 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        times += 1;
        if (times === 2) process.stdout.write('\n  Once more ends it at once; nothing that was answered gets lost.');
        if (times > 2) process.exit(1);
        asked.resolve(undefined);
      });
    }
    const running = await startAll(options, env, process.stdout);
    const death = await Promise.race([asked.promise, running.died]);
    process.stdout.write(death === undefined ? '\n  Stopping …' : `\n  ${death}. Stopping the rest …`);
    const isLate = await Promise.race([running.stop(), systemClock.sleep(stopWithinMs).then(() => true)]);
    if (isLate) {
      process.stdout.write(' something did not stop in time; nothing that was answered is lost.\n');
      process.exit(1);
    }
    process.stdout.write(
      options.ephemeral ? ' stopped.\n' : ' stopped. Your data are kept; npm start goes on from here.\n',
    );
    process.exit(death === undefined ? 0 : 1);
  } catch (error) {
    process.stderr.write(`\n${sayWhy(error)}\n`);
    process.exit(1);
  }
}

/** A sentence where the person can do something about it, and everything there is to know where it is our fault. */
function sayWhy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `${error.message}: another program took the port in the same moment. Start again.`;
  }
  const plain =
    error instanceof UsageFault || error instanceof EmbeddedPostgresUnavailable || error instanceof ConfigFault;
  return plain ? error.message : (error.stack ?? error.message);
}
