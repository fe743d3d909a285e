import { freePort, goProgram, startServer, type TestServer } from './start.ts';

/** The last release whose module can be built from the public proxy as it is; later ones replace parts of themselves. */
const version = 'v1.5.1';

/** Temporal's development server, with its state in memory and the namespace `default`. */
export async function startTemporal(): Promise<TestServer> {
  const command = await goProgram('temporal', 'github.com/temporalio/cli/cmd/temporal', version);
  const port = await freePort();
  return startServer({
    command,
    args: ['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'error'],
    port,
    url: `http://127.0.0.1:${port}`,
  });
}
