import { freePort, goProgram, startServer, type TestServer } from './start.ts';

/** Stripe's own mock of its API: it validates requests and answers with examples. */
export async function startStripeMock(): Promise<TestServer> {
  const program = await goProgram('stripe-mock', 'github.com/stripe/stripe-mock', 'v0.203.0');
  const port = await freePort();
  return startServer({
    command: program,
    args: ['-http-addr', `127.0.0.1:${port}`],
    port,
    url: `http://127.0.0.1:${port}`,
  });
}
