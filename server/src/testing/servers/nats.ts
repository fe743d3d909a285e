import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, goProgram, startServer, type TestServer } from './start.ts';

/** The server that suites run against; another one, say of a distribution, can be named to try it. */
const natsProgram = (): Promise<string> => {
  const named = process.env['GPUAAS_NATS_SERVER'];
  return named ? Promise.resolve(named) : goProgram('nats-server', 'github.com/nats-io/nats-server/v2', 'v2.15.2');
};

export interface NatsServer extends TestServer {
  /** Loses everything it has stored. Only while it is stopped. */
  wipe(): Promise<void>;
}

/** A NATS server with JetStream on files, empty at first. Its data survive `kill` and `start`, and end with `close`. */
export async function startNats(): Promise<NatsServer> {
  const [command, port, folder] = await Promise.all([
    natsProgram(),
    freePort(),
    mkdtemp(join(tmpdir(), 'gpuaas-nats-')),
  ]);
  const server = await startServer({
    command,
    args: ['--jetstream', '--store_dir', folder, '--addr', '127.0.0.1', '--port', String(port)],
    port,
    url: `nats://127.0.0.1:${port}`,
  });
  return {
    ...server,
    wipe: () => rm(folder, { recursive: true, force: true }),
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
