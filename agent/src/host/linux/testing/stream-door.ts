import { execFile } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Host, Shell, StreamOrder } from '../../port.ts';

const run = promisify(execFile);
const patienceMs = 30_000;

/** A port of this computer in front of the streams of a host, where the gateway would be, so that programs can connect to it. */
export async function openStreamDoor(host: Pick<Host, 'openStream'>, order: StreamOrder) {
  const open = new Set<Shell>();
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    const carry = async () => {
      const shell = await host.openStream(order);
      open.add(shell);
      socket.once('close', () => shell.kill());
      socket.on('data', (bytes) => {
        socket.pause();
        shell.write(bytes).then(
          () => socket.resume(),
          () => socket.destroy(),
        );
      });
      await pipeline(shell.output, socket);
    };
    carry().catch(() => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const shell of open) await shell.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Options of ssh, scp and sftp for a host whose key is known beforehand. */
export const knownHostOptions = (of: {
  readonly keyFile: string;
  readonly knownHosts: string;
  readonly alias: string;
}): string[] =>
  [
    ...['BatchMode=yes', 'IdentitiesOnly=yes', 'StrictHostKeyChecking=yes', `HostKeyAlias=${of.alias}`],
    ...[`UserKnownHostsFile=${of.knownHosts}`, 'GlobalKnownHostsFile=/dev/null', `IdentityFile=${of.keyFile}`],
  ].flatMap((one) => ['-o', one]);

/** What a program printed; throws with what it complained about. */
export const runProgram = async (file: string, args: readonly string[]): Promise<string> =>
  (await run(file, [...args], { timeout: patienceMs, maxBuffer: 64 * 1_024 * 1_024 })).stdout;
