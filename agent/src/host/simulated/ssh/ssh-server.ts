import { connect } from 'node:net';
import { duplexPair } from 'node:stream';
import ssh2, { type Connection, type PseudoTtyInfo, type ServerChannel, type Session } from 'ssh2';
import type { Shell } from '../../port.ts';
import { streamOver } from '../../stream.ts';
import type { GuestProcess } from '../guests/guests.ts';
import { admits, holds } from './admission.ts';
import { carryProcess, carryShell } from './carry.ts';
import { admitsCertificate, isTrusted, type Trust } from './certificates.ts';

/** What the SSH server of a simulated machine is given: its name, who may come in, and how a program starts there. */
export interface SshMachine {
  readonly username: string;
  readonly hostKey: string;
  /** Read at each attempt: keys come and go. */
  readonly lines: () => readonly string[];
  readonly trust: () => Trust;
  openShell(size: { readonly columns: number; readonly rows: number }, command: string | undefined): Promise<Shell>;
  run(command: string): Promise<GuestProcess>;
  /** The program that serves files, if this computer has one. */
  serveFiles(): Promise<GuestProcess | undefined>;
}

export interface SshConnection extends Shell {
  /** Ends it when the key, or the authority of the certificate, that opened it is no longer installed. */
  recheck(): void;
}

const loopback = '127.0.0.1';
const usualSize = { columns: 80, rows: 24 };

/**
 * One connection to the SSH server of a simulated machine. A real one would need a real user for each login; this one speaks the
 * same protocol, checks the keys and certificates that are installed, and starts programs in the guest.
 */
export function openSimulatedSsh(machine: SshMachine): SshConnection {
  const [near, far] = duplexPair();
  let openedBy: Buffer | undefined;
  const server = new ssh2.Server({ hostKeys: [machine.hostKey], ident: 'gpuaas-simulated' }, (client) => {
    client.on('error', () => client.end());
    admit(client, machine, (key) => {
      openedBy = key;
    });
    client.on('session', (accept) => serve(accept(), machine));
    client.on('tcpip', (accept, reject, { destIP, destPort }) => {
      const isHere = [loopback, 'localhost', '::1'].includes(destIP);
      if (!isHere) return reject();
      const socket = connect({ host: loopback, port: destPort, allowHalfOpen: true });
      socket.once('error', () => (socket.pending ? reject() : socket.destroy()));
      socket.once('connect', () => {
        const channel = accept();
        channel.on('error', () => socket.destroy());
        channel.once('close', () => socket.destroy());
        channel.pipe(socket).pipe(channel);
      });
    });
  });
  server.on('error', () => far.destroy());
  server.injectSocket(far as Parameters<typeof server.injectSocket>[0]);
  const shell = streamOver(near);
  return {
    ...shell,
    recheck() {
      if (!openedBy) return;
      const isHeld = holds(machine.lines(), openedBy) || isTrusted(machine.trust().authorities, openedBy);
      if (!isHeld) shell.kill();
    },
  };
}

function admit(client: Connection, machine: SshMachine, onOpened: (key: Buffer) => void): void {
  client.on('authentication', (request) => {
    const isKey = request.method === 'publickey' && request.username === machine.username;
    if (!isKey || !(admits(machine.lines(), request) || admitsCertificate(request, machine.trust())))
      return request.reject(['publickey']);
    if (request.signature) onOpened(request.key.data);
    request.accept();
  });
}

/** One session: a shell, a command or files, with or without a terminal. */
function serve(session: Session, machine: SshMachine): void {
  let pty: Pick<PseudoTtyInfo, 'cols' | 'rows'> | undefined;
  let shell: Shell | undefined;
  const start = (open: () => ServerChannel, begin: (channel: ServerChannel) => Promise<void>) => {
    const channel = open();
    channel.on('error', () => channel.close());
    begin(channel).catch((error: unknown) => {
      channel.stderr.write(`${(error as Error).message}\r\n`);
      channel.exit(1);
      channel.end();
    });
  };
  const onTerminal = (command: string | undefined) => async (channel: ServerChannel) => {
    shell = await machine.openShell(pty ? { columns: pty.cols, rows: pty.rows } : usualSize, command);
    await carryShell(shell, channel);
  };
  session.on('pty', (accept, _, info) => {
    pty = info;
    accept?.();
  });
  session.on('window-change', (accept, _, { cols, rows }) => {
    shell?.resize(cols, rows);
    accept?.();
  });
  session.on('env', (accept) => accept?.());
  session.on('shell', (accept) => start(accept, onTerminal(undefined)));
  session.on('exec', (accept, _, { command }) =>
    start(accept, pty ? onTerminal(command) : async (channel) => carryProcess(await machine.run(command), channel)),
  );
  session.on('subsystem', (accept, reject, { name }) => {
    if (name !== 'sftp') return reject();
    start(accept, async (channel) => {
      const files = await machine.serveFiles();
      if (!files) throw new Error('This computer has no sftp-server; install OpenSSH, or copy with rsync.');
      await carryProcess(files, channel);
    });
  });
}
