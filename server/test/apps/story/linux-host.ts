import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Host } from '@gpuaas/agent';
import { makeCommands } from '../../../../agent/src/host/linux/commands.ts';
import { podmanIn } from '../../../../agent/src/host/linux/containers/argv.ts';
import { placesIn } from '../../../../agent/src/host/linux/containers/settings.ts';
import { type ContainerRoom, openContainerRoom } from '../../../../agent/src/host/linux/testing/container-room.ts';
import { makeFixture, noProcesses } from '../../../../agent/src/host/linux/testing/fixture.ts';

/**
 * A host of the Linux adapter whose containers are real: podman, networks, volumes and control groups, in namespaces of their own, with
 * images from a registry that asks for TLS and a login. Eight GPUs, their driver, sshd and the logins of tenants are pretended, on a
 * tree below a folder: apps need none of them.
 */
export interface LinuxStage {
  readonly host: Host;
  /** The registry, reached from this machine and from the host by the same name. */
  readonly registry: string;
  /** Files of podman: its logins, and the certificate that the registry is trusted by. */
  readonly logins: string;
  readonly certificates: string;
  /** The names of all containers of the host. */
  containers(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openLinuxStage(): Promise<LinuxStage> {
  const door = await openDoor();
  const room = await openContainerRoom(new Set(), door.port);
  door.lead(room);
  const { authFile = '', certificates = '' } = room.settings;
  const real = makeCommands();
  const fixture = await makeFixture();
  fixture.processes = noProcesses;
  // Everything about containers is called inside the namespaces of the room.
  fixture.answer = (argv, limits) => (argv[0] === 'nsenter' ? real.run(argv, limits) : undefined);
  const host = await fixture.open({ containers: room.settings, dialContainer: async (to) => room.dial(to) });
  const podman = podmanIn(placesIn(join(fixture.folder, 'state/containers')), room.settings);
  const call = (...words: string[]) => {
    const [program, ...rest] = podman(...words);
    return room.run(program, ...rest);
  };
  return {
    host,
    registry: room.registry,
    logins: authFile,
    certificates,
    containers: async () => (await call('ps', '--all', '--format={{.Names}}')).split('\n').filter(Boolean),
    async close() {
      await call('rm', '--all', '--force', '--time=0').catch(() => undefined);
      await room.close();
      await fixture.close();
      await door.close();
    },
  };
}

/** The registry listens in the network of the room. This is the same port on the network of this machine. */
async function openDoor(): Promise<{ readonly port: number; lead(room: ContainerRoom): void; close(): Promise<void> }> {
  let room: ContainerRoom | undefined;
  const server: Server = createServer((socket) => {
    const far = room?.dial({ address: '127.0.0.1', port });
    if (!far) return socket.destroy();
    for (const [one, other] of [[socket, far] as const, [far, socket] as const]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    socket.pipe(far).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    lead(to) {
      room = to;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
