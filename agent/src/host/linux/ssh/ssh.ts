import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { readText } from '../sysfs.ts';

/** Where people reach this host. */
export interface SshDoor {
  readonly address: string;
  readonly port: number;
}

const greetingMs = 3_000;
const mostGreetingBytes = 1_024;

/** Whether the port speaks SSH: connects and reads the first line, as any client would. */
export function greetSsh({ address, port }: SshDoor): Promise<boolean> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ host: address, port });
    const end = (isReachable: boolean) => {
      socket.destroy();
      resolve(isReachable);
    };
    socket.setTimeout(greetingMs, () => end(false));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      said += text;
      // A server may say other lines before the one that counts.
      if (/^SSH-2\.0-/m.test(said)) end(true);
      else if (said.length > mostGreetingBytes) end(false);
    });
  });
}

/** The public host keys, the best one first. sshd shows one of them; a client that knows them trusts nothing on first use. */
export async function readHostKeys(root: string): Promise<string[]> {
  const texts = await Promise.all(
    ['ed25519', 'ecdsa', 'rsa'].map((kind) => readText(root, `etc/ssh/ssh_host_${kind}_key.pub`)),
  );
  return texts.flatMap((text) => {
    const [type, key] = text.split(' ');
    return type && key ? [`${type} ${key}`] : [];
  });
}

/** The first address that is not this machine's own secret. */
export function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
