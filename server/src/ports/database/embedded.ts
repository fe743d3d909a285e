/**
 * A real PostgreSQL in a data directory of ours: the database of a single machine, with nothing to install.
 *
 * The programs come from npm; this module is the launcher. What it holds to:
 *
 * - One owner. A lock file names the process that owns the data directory; a second process gets an error that names it.
 * - No open door. The server listens on a socket in a folder that only its account may enter, asks for a password
 *   even there, and does not listen on the network unless a port is asked for.
 * - No root. Root hands the server to an unprivileged account.
 * - No orphan. A guardian stops the server when we die (see `guardian.mjs`), and the next start deals with whatever a
 *   killed guardian, a killed server or a lost machine left behind.
 * - Whole or not at all. The cluster is built aside and renamed; every write is synced, except in a cluster that was
 *   asked for as ephemeral.
 *
 * In the data directory: `cluster/` (PostgreSQL's own), `run/` (the socket), `owner.lock`, `superuser.password`,
 * `postgres.log` with one predecessor, and at times a copy of the programs.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseError } from 'pg';
import { connectSingle } from '../single-connection.ts';
import { chooseAccount } from './embedded/account.ts';
import { findInstalled, type Machine, prepareBinaries } from './embedded/binaries.ts';
import { bareEnvironment, makeCluster } from './embedded/cluster.ts';
import { makeDataDirectory, makeSocketFolder, superuserPassword } from './embedded/folders.ts';
import { type LaunchSpec, launch, type Running } from './embedded/launch.ts';
import { takeOwnership } from './embedded/owner.ts';

export { EmbeddedPostgresUnavailable } from './embedded/account.ts';
export { DataDirectoryInUse } from './embedded/owner.ts';

/** What our server calls itself, so that a process knows it from a server of the operator's. */
export const embeddedClusterName = 'gpuaas-embedded';
/** More than all processes of one machine hold at most. A place that nobody uses costs a few kilobytes. */
export const embeddedConnections = 240;

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** Called with a sentence about everything beyond a plain start and stop. */
  readonly log?: (sentence: string) => void;
  /** Listen on this port of 127.0.0.1 too. Without it only the socket is there. */
  readonly port?: number;
  /** For tests: nothing is synced to disk, and a lost machine loses the data. */
  readonly ephemeral?: boolean;
  /** How long a stop may take before the server is stopped immediately. */
  readonly stopWithinMs?: number;
  readonly machine?: Machine;
}

export interface EmbeddedPostgres {
  readonly socketDir: string;
  readonly port: number;
  readonly superuserPassword: string;
  /** True when a server of an earlier owner still ran on the data; it was stopped in order and started afresh. */
  readonly adopted: boolean;
  /** Resolves when the server was lost and could not be brought back; never after `close`. */
  readonly lost: Promise<Error>;
  /** The process id of the server as it is now; another one after a crash. */
  serverPid(): number;
  /** An address that node-postgres and libpq read alike. */
  url(role: string, password: string, database: string): string;
  close(): Promise<void>;
}

const socketPort = 5432;

export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined);
  const machine = options.machine ?? { platform: process.platform, arch: process.arch };
  const port = options.port ?? socketPort;
  const installed = await findInstalled(machine);
  const account = await chooseAccount(join(options.dataDir, 'cluster'));
  const dataDir = await makeDataDirectory(options.dataDir, account);
  const giveUpOwnership = await takeOwnership(dataDir);
  try {
    const binaries = await prepareBinaries({ installed, account, dataDir });
    const password = await superuserPassword(dataDir);
    const clusterDir = join(dataDir, 'cluster');
    const ephemeral = options.ephemeral ?? false;
    await makeCluster({ binaries, account, dataDir, clusterDir, password, ephemeral });
    const socketDir = await makeSocketFolder(dataDir, port, account);
    const spec: LaunchSpec = {
      postgres: binaries.postgres,
      options: serverOptions({ clusterDir, socketDir, port, tcp: options.port !== undefined, ephemeral }),
      cwd: clusterDir,
      clusterDir,
      socket: join(socketDir, `.s.PGSQL.${port}`),
      env: bareEnvironment,
      ...(account.dropped ? { account: { uid: account.uid, gid: account.gid } } : {}),
      logFile: join(dataDir, 'postgres.log'),
      stopWithinMs: options.stopWithinMs ?? 20_000,
    };
    const url = (role: string, secret: string, database: string) => {
      const [user, pass, host, name] = [role, secret, socketDir, database].map(encodeURIComponent);
      return `postgres://${user}:${pass}@${host}:${port}/${name}`;
    };
    const server = await keepRunning(spec, log);
    await assertAnswers(url('postgres', password, 'postgres'), dataDir).catch(async (error: unknown) => {
      await server.close();
      throw error;
    });
    let closed: Promise<void> | undefined;
    const close = async () => {
      await server.close();
      // A socket folder outside the data directory is nobody's after this; inside it may as well go.
      await rm(socketDir, { recursive: true, force: true });
      await giveUpOwnership();
    };
    return {
      socketDir,
      port,
      superuserPassword: password,
      adopted: server.adopted,
      lost: server.lost,
      serverPid: server.pid,
      url,
      close: () => {
        closed ??= close();
        return closed;
      },
    };
  } catch (error) {
    await giveUpOwnership();
    throw error;
  }
}

/** The one thing that a start cannot know by itself: that the password kept beside the cluster is the cluster's. */
async function assertAnswers(url: string, dataDir: string): Promise<void> {
  try {
    const client = await connectSingle({ connectionString: url, connectionTimeoutMillis: 30_000 });
    await client.end();
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || cause.code !== '28P01') throw cause;
    throw new Error(
      `PostgreSQL in ${dataDir} does not accept the password in superuser.password; put back the file it began with.`,
      { cause },
    );
  }
}

function serverOptions(spec: {
  readonly clusterDir: string;
  readonly socketDir: string;
  readonly port: number;
  readonly tcp: boolean;
  readonly ephemeral: boolean;
}): string[] {
  const settings: Record<string, string> = {
    // How a process learns that it uses the server of `npm start`.
    cluster_name: embeddedClusterName,
    port: String(spec.port),
    listen_addresses: spec.tcp ? '127.0.0.1' : '',
    unix_socket_directories: spec.socketDir,
    unix_socket_permissions: '0700',
    password_encryption: 'scram-sha-256',
    // Sizes for a laptop that has other things to do.
    max_connections: String(embeddedConnections),
    shared_buffers: '128MB',
    max_wal_size: '512MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    log_line_prefix: '%m [%p] ',
    // A failed statement is reported to its client and not logged: its text, parameters and error may contain secrets.
    // The server's own messages are logged.
    log_statement: 'none',
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_min_duration_statement: '-1',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    // Even an ephemeral server hands every commit to the kernel, so only the loss of the machine loses one.
    fsync: spec.ephemeral ? 'off' : 'on',
    full_page_writes: spec.ephemeral ? 'off' : 'on',
  };
  return ['-D', spec.clusterDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** More crashes than this within the window, and the server is not started again: something is wrong with it. */
const toleratedCrashes = 5;
const crashWindowMs = 60_000;

/** Starts the server and starts it again when it ends without being asked to. */
async function keepRunning(spec: LaunchSpec, log: (sentence: string) => void) {
  let running: Running = await launch(spec);
  const adopted = running.replacedOrphan;
  if (adopted) log('A database server of an earlier run was still there; it was stopped and started again.');
  let closing = false;
  let announceLoss: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => {
    announceLoss = resolve;
  });
  const watch = async () => {
    const crashes: number[] = [];
    for (;;) {
      const said = await running.ended;
      if (closing) return;
      const now = Date.now();
      crashes.push(now);
      if (crashes.filter((at) => now - at < crashWindowMs).length > toleratedCrashes) {
        throw new Error(`PostgreSQL ended ${toleratedCrashes + 1} times within a minute, at last with: ${said}`);
      }
      log('The database server ended unexpectedly and is started again.');
      running = await launch(spec);
      if (closing) return running.stop();
    }
  };
  const watching = watch().catch((error: unknown) => {
    if (closing) return;
    const loss = error instanceof Error ? error : new Error(String(error));
    log(`The database server is lost: ${loss.message}`);
    announceLoss(loss);
  });
  return {
    adopted,
    lost,
    pid: () => running.pid,
    close: async () => {
      closing = true;
      await running.stop();
      // A crash just before the end may be starting a new server: the starting process stops it again.
      await watching;
    },
  };
}
