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
  let count = 0;
  let [created, replayed, failed, measured] = [0, 0, 0, 0];
  let firstFailure: string | undefined;
  const latenciesUs: number[] = [];
  const replayLatenciesUs: number[] = [];
  const startAt = performance.now();
  const measureFrom = startAt + load.warmupSeconds * 1_000;
  const endAt = measureFrom + load.seconds * 1_000;
  const finished = Promise.withResolvers<void>();
  const idle: Connection[] = [];
  const due: number[] = [];
  let busy = 0;
  let over = false;

  const requestOf = (connection: Connection): string => {
    const name = `${load.run}-${(count++).toString(36)}`;
    const body = `{"name":"Measured project ${name}","slug":"${name}"}`;
    return `POST /api/v1/organizations/${connection.caller.organizationId}/projects HTTP/1.1\r\nHost: ${connection.host}\r\nAuthorization: Bearer ${connection.caller.token}\r\nIdempotency-Key: key-${name}\r\nContent-Type: application/json\r\nUser-Agent: bench\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const send = (connection: Connection, dueAt: number) => {
    busy += 1;
    connection.dueAt = dueAt;
    connection.repeating = false;
    connection.last = requestOf(connection);
    connection.socket.write(connection.last);
  };
  const next = (connection: Connection) => {
    busy -= 1;
    if (performance.now() >= endAt) over = true;
    if (over) {
      if (busy === 0 && due.length === 0) finished.resolve();
      if (load.rate === undefined || due.length === 0) return;
    }
    if (load.rate === undefined) return send(connection, performance.now());
    const waiting = due.shift();
    if (waiting === undefined) idle.push(connection);
    else send(connection, waiting);
  };

  const onAnswer = (connection: Connection, status: number, head: string, text: string) => {
    const now = performance.now();
    const tookUs = Math.round((now - connection.dueAt) * 1_000);
    const inTime = connection.dueAt >= measureFrom && connection.dueAt < endAt;
    const isReplay = head.includes('idempotency-replayed: true');
    if (status !== 201 || isReplay !== connection.repeating) {
      failed += 1;
      firstFailure ??= `${status}: ${text.slice(0, 500)}`;
    } else if (isReplay) {
      replayed += 1;
      if (inTime) replayLatenciesUs.push(tookUs);
    } else {
      created += 1;
      if (now >= measureFrom && now < endAt) measured += 1;
      if (inTime) latenciesUs.push(tookUs);
      if (load.replay) {
        connection.repeating = true;
        connection.dueAt = performance.now();
        connection.socket.write(connection.last);
        return;
      }
    }
    next(connection);
  };

  const onData = (connection: Connection, chunk: string) => {
    connection.buffered += chunk;
    const end = connection.buffered.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = connection.buffered.slice(0, end).toLowerCase();
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (connection.buffered.length < end + 4 + length) return;
    const text = connection.buffered.slice(end + 4, end + 4 + length);
    connection.buffered = connection.buffered.slice(end + 4 + length);
    onAnswer(connection, Number(head.slice(9, 12)), head, text);
  };

  const connections = await Promise.all(
    Array.from({ length: load.clients }, async (_, index): Promise<Connection> => {
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
      socket.on('data', (chunk: string) => onData(connection, chunk));
      socket.on('close', () => finished.reject(new Error('the api closed a connection')));
      return connection;
    }),
  );

  let timer: NodeJS.Timeout | undefined;
  if (load.rate === undefined) for (const connection of connections) send(connection, performance.now());
  else {
    idle.push(...connections);
    const everyMs = 1_000 / load.rate;
    let nextDue = startAt;
    timer = setInterval(() => {
      const now = performance.now();
      for (; nextDue <= now && nextDue < endAt; nextDue += everyMs) {
        const connection = idle.shift();
        if (connection) send(connection, nextDue);
        else due.push(nextDue);
      }
      if (nextDue >= endAt) {
        over = true;
        clearInterval(timer);
        if (busy === 0 && due.length === 0) finished.resolve();
      }
    }, 1);
  }
  try {
    await finished.promise;
  } finally {
    clearInterval(timer);
    for (const { socket } of connections) socket.removeAllListeners('close').destroy();
  }
  const cpu = process.cpuUsage(cpuBefore);
  return {
    perSecond: measured / load.seconds,
    ...{ created, replayed, failed, firstFailure, latenciesUs, replayLatenciesUs },
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}
