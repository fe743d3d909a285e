import { freePort, goProgram, startServer, type TestServer } from './start.ts';

/** The last release whose module can be built from the public proxy as it is; later ones replace parts of themselves. */
const version = 'v1.5.1';

/**
 * Temporal's development server with the namespace `default`. Its state is in memory, or in a file that survives `kill` and
 * `start`.
 */
export async function startTemporal(options: { readonly file?: string } = {}): Promise<TestServer> {
  const command = await goProgram('temporal', 'github.com/temporalio/cli/cmd/temporal', version);
  const port = await freePort();
  return startServer({
    command,
    args: [
      ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
      ...(options.file ? ['--db-filename', options.file] : []),
    ],
    port,
    url: `http://127.0.0.1:${port}`,
  });
}
