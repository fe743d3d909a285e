import { constants, type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type AppTunnelRefusal, appTunnelHeaders, appTunnelLimits, appTunnelRefusal } from '@gpuaas/contract/ingress';
import { type ConnectOrder, type Host, HostFailure } from '../host/port.ts';

/** An open tunnel. The node dialled it, and is the HTTP/2 server container. */
export interface Tunnel {
  readonly closed: Promise<void>;
  readonly streams: number;
  /** Closes the streams of an allocation that has ended, or of a container that was stopped. */
  closeStreams(of: { readonly allocationId: string; readonly workloadId?: string }): void;
  close(): void;
}

const status: Readonly<Record<AppTunnelRefusal, number>> = {
  malformed: 400,
  unknown_workload: 404,
  not_running: 409,
  busy: 429,
  port_closed: 502,
};
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const mostPort = 65_535;

/** Serves the streams that the proxy opens. It accepts only CONNECT to a port of a container. */
export function serveTunnel(socket: TLSSocket, host: Pick<Host, 'connectContainer'>): Tunnel {
  const limits = appTunnelLimits;
  const open = new Map<ServerHttp2Stream, ConnectOrder>();
  const session = performServerHandshake(socket, {
    settings: {
      maxConcurrentStreams: limits.streams,
      initialWindowSize: limits.streamWindowBytes,
      maxHeaderListSize: 4_096,
    },
    // Only the proxy uses this connection, and it resets streams in normal operation.
    streamResetBurst: limits.streams,
    streamResetRate: limits.streams,
  });
  session.setLocalWindowSize(limits.windowBytes);
  session.on('error', () => session.destroy());
  session.on('stream', (stream, headers) => {
    stream.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
    answer(stream, headers).catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  });
  const stopPings = pingRegularly(session);
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      stopPings();
      for (const stream of open.keys()) stream.destroy();
      socket.destroy();
      resolve();
    };
    session.once('close', end);
    socket.once('close', () => session.destroy());
    if (socket.destroyed) session.destroy();
  });

  async function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const target = targetOf(headers);
    if (!target) return refuse(stream, 'malformed');
    const openOfWorkload = [...open.values()].filter(({ workloadId }) => workloadId === target.workloadId).length;
    if (open.size >= limits.streams || openOfWorkload >= limits.streamsPerWorkload) return refuse(stream, 'busy');
    open.set(stream, target);
    stream.once('close', () => open.delete(stream));
    const container = await host.connectContainer(target).catch((error: unknown) => refusalOf(error));
    if (typeof container === 'string') {
      open.delete(stream);
      return refuse(stream, container);
    }
    if (stream.destroyed) return void container.destroy();
    stream.respond({ ':status': 200 });
    join(stream, container);
  }
  return {
    closed,
    get streams() {
      return open.size;
    },
    closeStreams({ allocationId, workloadId }) {
      for (const [stream, target] of open) {
        if (target.allocationId !== allocationId) continue;
        if (workloadId === undefined || target.workloadId === workloadId) stream.close(constants.NGHTTP2_CANCEL);
      }
    },
    close: () => session.destroy(),
  };
}

function refuse(stream: ServerHttp2Stream, why: AppTunnelRefusal): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond({ ':status': status[why], [appTunnelRefusal]: why }, { endStream: true });
}

/** Each direction ends by itself; an error on one side ends both. */
function join(stream: ServerHttp2Stream, container: Duplex): void {
  container.on('error', () => stream.close(constants.NGHTTP2_CONNECT_ERROR));
  container.once('close', () => {
    if (!stream.writableFinished) stream.close(constants.NGHTTP2_CONNECT_ERROR);
  });
  stream.once('close', () => container.destroy());
  stream.pipe(container).pipe(stream);
}

function targetOf(headers: IncomingHttpHeaders): ConnectOrder | undefined {
  const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : '');
  const port = header(appTunnelHeaders.port);
  const target = {
    allocationId: header(appTunnelHeaders.allocation),
    workloadId: header(appTunnelHeaders.workload),
    port: /^[1-9]\d{0,4}$/.test(port) ? Number(port) : 0,
  };
  const isValid = uuid.test(target.allocationId) && uuid.test(target.workloadId) && target.port > 0;
  return headers[':method'] === 'CONNECT' && isValid && target.port <= mostPort ? target : undefined;
}

function refusalOf(error: unknown): AppTunnelRefusal {
  const code = error instanceof HostFailure ? error.code : undefined;
  if (code === 'not_found' || code === 'not_supported') return 'unknown_workload';
  return code === 'container_failed' ? 'not_running' : 'port_closed';
}

/** Closes the tunnel when the proxy does not answer a ping; the agent then dials again. */
function pingRegularly(session: ReturnType<typeof performServerHandshake>): () => void {
  let isPingUnanswered = false;
  const timer = setInterval(() => {
    if (isPingUnanswered) return session.destroy();
    isPingUnanswered = true;
    const sent = session.ping(() => {
      isPingUnanswered = false;
    });
    if (!sent) session.destroy();
  }, appTunnelLimits.pingMs);
  timer.unref();
  return () => clearInterval(timer);
}
