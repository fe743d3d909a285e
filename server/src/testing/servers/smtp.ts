import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { freePort, type TestServer } from './start.ts';

const run = promisify(execFile);

/** What a mail server says to a recipient: nothing special, a code such as 550 or 451, or it hangs up. */
export type Reception = 'welcome' | { readonly code: number; readonly message: string } | 'drop';

export interface DeliveredMail {
  readonly from: string;
  readonly to: string;
  /** Under TLS, and as whom. */
  readonly secure: boolean;
  readonly user: string | undefined;
  readonly mail: ParsedMail;
}

/** A mail server that keeps what it is given, and can be told to be difficult. */
export interface TestSmtp extends TestServer {
  readonly port: number;
  readonly delivered: DeliveredMail[];
  /** How letters to an address are received from now on; `data` decides after the letter was read, not before. */
  receive(address: string, reception: Reception, when?: 'rcpt' | 'data'): void;
  /** Open connections. */
  connections(): number;
}

export interface TestSmtpOptions {
  readonly tls?: 'starttls' | 'tls';
  readonly certificate?: { readonly key: string; readonly cert: string };
  readonly login?: { readonly user: string; readonly password: string };
}

export async function startSmtp(options: TestSmtpOptions = {}): Promise<TestSmtp> {
  const port = await freePort();
  const delivered: DeliveredMail[] = [];
  const receptions = new Map<string, { reception: Reception; when: 'rcpt' | 'data' }>();
  const sockets = new Set<Socket>();
  let server: SMTPServer | undefined;

  const meet = (address: string, when: 'rcpt' | 'data', welcome: () => void, answer: (error: Error) => void) => {
    const rule = receptions.get(address);
    if (!rule || rule.when !== when || rule.reception === 'welcome') return welcome();
    if (rule.reception === 'drop') return hangUp();
    const { code, message } = rule.reception;
    answer(Object.assign(new Error(message), { responseCode: code }));
  };
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };

  const start = async () => {
    const starting = new SMTPServer({
      secure: options.tls === 'tls',
      ...options.certificate,
      disabledCommands: [...(options.tls ? [] : ['STARTTLS']), ...(options.login ? [] : ['AUTH'])],
      disableReverseLookup: true,
      closeTimeout: 100,
      onAuth(auth, _session, done) {
        if (auth.username === options.login?.user && auth.password === options.login?.password) {
          return done(null, { user: auth.username });
        }
        done(new Error('no such user or password'));
      },
      onRcptTo: (address, _session, done) => meet(address.address, 'rcpt', () => done(), done),
      onData(stream, session, done) {
        const to = session.envelope.rcptTo[0]?.address ?? '';
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
        simpleParser(stream).then((mail) => {
          const keep = () => {
            delivered.push({ from, to, secure: session.secure, user: session.user, mail });
            done();
          };
          meet(to, 'data', keep, done);
        }, done);
      },
    });
    starting.on('error', () => undefined);
    starting.server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      starting.server.once('error', reject);
      starting.listen(port, '127.0.0.1', resolve);
    });
    server = starting;
  };
  const stop = async () => {
    const stopping = server;
    server = undefined;
    if (!stopping) return;
    const closed = new Promise<void>((resolve) => stopping.close(resolve));
    hangUp();
    await closed;
  };
  await start();
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    delivered,
    receive: (address, reception, when = 'rcpt') => receptions.set(address, { reception, when }),
    connections: () => sockets.size,
    start,
    kill: stop,
    close: stop,
  };
}

/** A certificate for loopback that nobody has signed but itself. */
export async function makeLoopbackCertificate(): Promise<{ readonly key: string; readonly cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ...['-keyout', key, '-out', cert],
    ]).catch((cause: unknown) => {
      throw new Error('openssl is missing or too old: install the Debian package openssl', { cause });
    });
    return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
