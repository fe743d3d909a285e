import { ConfigFault, type Environment } from '../../kernel/config.ts';
import { EmbeddedPostgresUnavailable } from '../../ports/database/embedded.ts';
import { help, readOptions, UsageFault } from './options.ts';
import { startAll } from './start.ts';

/** `npm start`: from the command line to the exit code. */
export async function runAll(args: readonly string[], env: Environment): Promise<void> {
  try {
    const options = readOptions(args, env, process.getuid?.());
    if (options.help) {
      process.stdout.write(help);
      return;
    }
    const asked = Promise.withResolvers<undefined>();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => asked.resolve(undefined));
    const running = await startAll(options, env, process.stdout);
    const death = await Promise.race([asked.promise, running.died]);
    process.stdout.write(death === undefined ? '\n  Stopping …' : `\n  ${death}. Stopping the rest …`);
    await running.stop();
    process.stdout.write(
      options.ephemeral ? ' stopped.\n' : ' stopped. Your data are kept; npm start goes on from here.\n',
    );
    process.exit(death === undefined ? 0 : 1);
  } catch (error) {
    const plain =
      error instanceof UsageFault || error instanceof EmbeddedPostgresUnavailable || error instanceof ConfigFault;
    process.stderr.write(`\n${plain ? (error as Error).message : (error as Error).stack}\n`);
    process.exit(1);
  }
}
