import { createServer, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import type { Run, Session } from '../../command.ts';
import { exitCodes, Failure, usageFailure } from '../../failure.ts';
import { resolveAllocation } from '../../resolve.ts';
import { openStream } from '../../ssh/stream.ts';

const loopback = '127.0.0.1';

/** Listens on a port of this computer and carries its connections to a port of the machine. */
export const portForward: Run = async (session) => {
  const { local, remote } = portsOf(session.arg(1));
  const allocationId = await resolveAllocation(session);
  const { client, ended } = await connect(session, allocationId, remote);
  const server = createServer({ allowHalfOpen: true }, (socket) => carry(client, socket, remote, session));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new Failure(exitCodes.failed, `Port ${local} of this computer cannot be used: ${error.message}.`)),
    );
    server.listen(local, loopback, resolve);
  });
  const { port } = server.address() as { port: number };
  session.say(`${loopback}:${port} leads to port ${remote} of the machine. Stop with Ctrl-C.`);
  const stopped = Promise.withResolvers<undefined>();
  session.around.once?.('SIGINT', () => stopped.resolve(undefined));
  const end = await Promise.race([ended, stopped.promise]);
  server.close();
  client.end();
  if (end === undefined || end.code === 1000) return exitCodes.ok;
  throw new Failure(exitCodes.failed, end.sentence);
};

function portsOf(text: string): { readonly local: number; readonly remote: number } {
  const parts = /^(?:(?<local>\d{1,5}):)?(?<remote>\d{1,5})$/.exec(text)?.groups;
  const remote = Number(parts?.['remote']);
  const local = Number(parts?.['local'] ?? remote);
  if (!parts || remote < 1 || remote > 65_535 || local > 65_535) {
    throw usageFailure(
      `${JSON.stringify(text)} is not LOCAL:REMOTE.`,
      'Two ports, such as 8888:8888; 0 takes a free one.',
    );
  }
  return { local, remote };
}

/** The gateway checked who we are and which port it may be; the node takes this connection from it and opens that port alone. */
async function connect(session: Session, allocationId: string, port: number) {
  const [near, far] = duplexPair();
  const stream = await openStream(session, allocationId, { kind: 'forward', port }, (bytes) =>
    far.write(bytes) ? undefined : new Promise<void>((resolve) => far.once('drain', () => resolve())),
  );
  far.on('error', () => stream.end());
  (async () => {
    for await (const chunk of far) await stream.write(chunk as Uint8Array);
    stream.end();
  })().catch(() => stream.end());
  const ended = stream.ended.then((end) => {
    far.destroy();
    return end;
  });
  const client = new ssh2.Client();
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', reject);
    client.connect({ sock: near, username: 'forward', hostVerifier: () => true });
  });
  client.on('error', () => stream.end());
  return { client, ended };
}

function carry(client: Client, socket: Socket, port: number, session: Session): void {
  socket.on('error', () => socket.destroy());
  client.forwardOut(loopback, 0, loopback, port, (error: Error | undefined, channel: ClientChannel) => {
    if (error) {
      session.say(`Nothing answers at port ${port} of the machine.`);
      socket.destroy();
      return;
    }
    channel.on('error', () => socket.destroy());
    channel.once('close', () => socket.destroy());
    socket.once('close', () => channel.close());
    socket.pipe(channel).pipe(socket);
  });
}
