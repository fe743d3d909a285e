import { connect, type Socket } from 'node:net';

/**
 * A load generator that runs in a process of its own. It writes ready-made HTTP requests to keep-alive connections, one
 * at a time on each, and reads of an answer only its status and its length, so that it costs a few percent of what
 * it measures.
 *
 * Closed loop: each connection sends its next request when it has its answer; that finds the saturation. Open loop:
 * requests are due at fixed times, and latency counts from then, also for those that had to wait for a connection.
 */
export interface HttpLoad {
  /** host:port of each api; connections are spread over them in turn. */
  readonly targets: readonly { readonly host: string; readonly port: number }[];
  /** Who asks, for what: connections take them in turn. */
  readonly callers: readonly { readonly token: string; readonly organizationId: string }[];
  readonly clients: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
  /** Requests that are due each second; without it each connection goes on as soon as it can. */
  readonly rate?: number;
  /** Every request is sent a second time with the same key. */
  readonly replay?: boolean;
  /** Makes keys and slugs of this run its own. */
  readonly run: string;
}
export interface HttpLoadResult {
  readonly perSecond: number;
  readonly created: number;
  readonly replayed: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
  readonly cpuSeconds: number;
  readonly latenciesUs: readonly number[];
  readonly replayLatenciesUs: readonly number[];
}

/** One keep-alive connection, with at most one request on its way. */
interface Connection {
  readonly socket: Socket;
  readonly caller: HttpLoad['callers'][number];
  readonly host: string;
  dueAt: number;
  /** The request on its way is a repetition. */
  repeating: boolean;
  last: string;
  buffered: string;
}

export async function runHttpLoad(load: HttpLoad): Promise<HttpLoadResult> {
  const cpuBefore = process.cpuUsage();
  const run = new LoadRun(load);
  const connections = await Promise.all(
    Array.from({ length: load.clients }, (_, index) => openConnection(load, index, run)),
  );
  const timer = load.rate === undefined ? run.sendAtOnce(connections) : run.sendWhenDue(connections, load.rate);
  try {
    await run.finished;
  } finally {
    clearInterval(timer);
    for (const { socket } of connections) socket.removeAllListeners('close').destroy();
  }
  const cpu = process.cpuUsage(cpuBefore);
  return { ...run.result(), cpuSeconds: (cpu.user + cpu.system) / 1e6 };
}

async function openConnection(load: HttpLoad, index: number, run: LoadRun): Promise<Connection> {
  const target = load.targets[index % load.targets.length];
  const caller = load.callers[index % load.callers.length];
  if (!target || !caller) throw new Error('no target or no caller');
  const socket = connect(target.port, target.host);
  socket.setNoDelay(true);
  // Names and slugs are plain ASCII here, so characters are bytes.
  socket.setEncoding('latin1');
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const host = `${target.host}:${target.port}`;
  const connection = { socket, caller, host, dueAt: 0, repeating: false, last: '', buffered: '' };
  socket.on('data', (chunk: string) => {
    const answer = readAnswer(connection, chunk);
    if (answer) run.answered(connection, answer);
  });
  socket.on('close', () => run.fail(new Error('the api closed a connection')));
  return connection;
}

interface Answer {
  readonly status: number;
  readonly head: string;
  readonly text: string;
}
/** The answer, once all of it has come. */
function readAnswer(connection: Connection, chunk: string): Answer | undefined {
  connection.buffered += chunk;
  const end = connection.buffered.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = connection.buffered.slice(0, end).toLowerCase();
  const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
  if (connection.buffered.length < end + 4 + length) return undefined;
  const text = connection.buffered.slice(end + 4, end + 4 + length);
  connection.buffered = connection.buffered.slice(end + 4 + length);
  return { status: Number(head.slice(9, 12)), head, text };
}

/** What is sent when, and what came of it. */
class LoadRun {
  readonly #load: HttpLoad;
  readonly #startAt = performance.now();
  readonly #measureFrom: number;
  readonly #endAt: number;
  readonly #finished = Promise.withResolvers<void>();
  readonly #idle: Connection[] = [];
  /** Times of requests that wait for a connection. */
  readonly #due: number[] = [];
  readonly #latenciesUs: number[] = [];
  readonly #replayLatenciesUs: number[] = [];
  #count = 0;
  #created = 0;
  #replayed = 0;
  #failed = 0;
  #measured = 0;
  #firstFailure: string | undefined;
  #busy = 0;
  #isOver = false;
  constructor(load: HttpLoad) {
    this.#load = load;
    this.#measureFrom = this.#startAt + load.warmupSeconds * 1_000;
    this.#endAt = this.#measureFrom + load.seconds * 1_000;
  }

  get finished(): Promise<void> {
    return this.#finished.promise;
  }
  fail(error: Error): void {
    this.#finished.reject(error);
  }
  result(): Omit<HttpLoadResult, 'cpuSeconds'> {
    return {
      perSecond: this.#measured / this.#load.seconds,
      created: this.#created,
      replayed: this.#replayed,
      failed: this.#failed,
      firstFailure: this.#firstFailure,
      latenciesUs: this.#latenciesUs,
      replayLatenciesUs: this.#replayLatenciesUs,
    };
  }

  /** Closed loop: each connection goes on as soon as it can. */
  sendAtOnce(connections: readonly Connection[]): undefined {
    for (const connection of connections) this.#send(connection, performance.now());
  }
  /** Open loop: requests are due at fixed times. */
  sendWhenDue(connections: readonly Connection[], rate: number): NodeJS.Timeout {
    this.#idle.push(...connections);
    const everyMs = 1_000 / rate;
    let nextDue = this.#startAt;
    const timer = setInterval(() => {
      const now = performance.now();
      for (; nextDue <= now && nextDue < this.#endAt; nextDue += everyMs) {
        const connection = this.#idle.shift();
        if (connection) this.#send(connection, nextDue);
        else this.#due.push(nextDue);
      }
      if (nextDue < this.#endAt) return;
      this.#isOver = true;
      clearInterval(timer);
      if (this.#busy === 0 && this.#due.length === 0) this.#finished.resolve();
    }, 1);
    return timer;
  }

  answered(connection: Connection, { status, head, text }: Answer): void {
    const now = performance.now();
    const tookUs = Math.round((now - connection.dueAt) * 1_000);
    const inTime = connection.dueAt >= this.#measureFrom && connection.dueAt < this.#endAt;
    const isReplay = head.includes('idempotency-replayed: true');
    if (status !== 201 || isReplay !== connection.repeating) {
      this.#failed += 1;
      this.#firstFailure ??= `${status}: ${text.slice(0, 500)}`;
    } else if (isReplay) {
      this.#replayed += 1;
      if (inTime) this.#replayLatenciesUs.push(tookUs);
    } else {
      this.#created += 1;
      if (now >= this.#measureFrom && now < this.#endAt) this.#measured += 1;
      if (inTime) this.#latenciesUs.push(tookUs);
      if (this.#load.replay) {
        connection.repeating = true;
        connection.dueAt = performance.now();
        connection.socket.write(connection.last);
        return;
      }
    }
    this.#next(connection);
  }

  #next(connection: Connection): void {
    this.#busy -= 1;
    const isPaced = this.#load.rate !== undefined;
    if (performance.now() >= this.#endAt) this.#isOver = true;
    if (this.#isOver) {
      if (this.#busy === 0 && this.#due.length === 0) this.#finished.resolve();
      if (!isPaced || this.#due.length === 0) return;
    }
    const waiting = isPaced ? this.#due.shift() : performance.now();
    if (waiting === undefined) this.#idle.push(connection);
    else this.#send(connection, waiting);
  }
  #send(connection: Connection, dueAt: number): void {
    this.#busy += 1;
    connection.dueAt = dueAt;
    connection.repeating = false;
    connection.last = this.#requestOf(connection);
    connection.socket.write(connection.last);
  }
  #requestOf({ caller, host }: Connection): string {
    const name = `${this.#load.run}-${(this.#count++).toString(36)}`;
    const body = `{"name":"Measured project ${name}","slug":"${name}"}`;
    return `POST /api/v1/organizations/${caller.organizationId}/projects HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${caller.token}\r\nIdempotency-Key: key-${name}\r\nContent-Type: application/json\r\nUser-Agent: bench\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }
}
