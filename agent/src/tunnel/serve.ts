import { constants, type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type AppTunnelRefusal, appTunnelHeaders, appTunnelLimits, appTunnelRefusal } from '@gpuaas/contract/ingress';
import { type ConnectOrder, type Host, HostFailure } from '../host/port.ts';

/** One tunnel that is open: the node is the HTTP/2 server inside, though it was the one who dialled. */
export interface Tunnel {
  readonly closed: Promise<void>;
  readonly streams: number;
  /** Streams of an allocation that has ended, or of a container that was stopped. */
  endOf(of: { readonly allocationId: string; readonly workloadId?: string }): void;
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

/** Serves the streams that the proxy opens. Nothing but CONNECT to a port of a container is answered. */
export function serveTunnel(socket: TLSSocket, host: Pick<Host, 'connectContainer'>): Tunnel {
  const limits = appTunnelLimits;
  const open = new Map<ServerHttp2Stream, ConnectOrder>();
  const session = performServerHandshake(socket, {
    settings: {
      maxConcurrentStreams: limits.streams,
      initialWindowSize: limits.streamWindowBytes,
      maxHeaderListSize: 4_096,
    },
    // Everything inside of one connection is the proxy's own: streams that it resets are ordinary.
    streamResetBurst: limits.streams,
    streamResetRate: limits.streams,
  });
  session.setLocalWindowSize(limits.windowBytes);
  session.on('error', () => session.destroy());
  session.on('stream', (stream, headers) => {
    stream.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
    answer(stream, headers).catch(() => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  });
  const silence = watchSilence(session);
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      silence();
      for (const stream of open.keys()) stream.destroy();
      socket.destroy();
      resolve();
    };
    session.once('close', end);
    socket.once('close', () => session.destroy());
    if (socket.destroyed) session.destroy();
  });

  async function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const order = orderOf(headers);
    if (!order) return refuse(stream, 'malformed');
    const ofWorkload = [...open.values()].filter(({ workloadId }) => workloadId === order.workloadId).length;
    if (open.size >= limits.streams || ofWorkload >= limits.streamsPerWorkload) return refuse(stream, 'busy');
    open.set(stream, order);
    stream.once('close', () => open.delete(stream));
    const inside = await host.connectContainer(order).catch((error: unknown) => refusalOf(error));
    if (typeof inside === 'string') {
      open.delete(stream);
      return refuse(stream, inside);
    }
    if (stream.destroyed) return void inside.destroy();
    stream.respond({ ':status': 200 });
    join(stream, inside);
  }
  return {
    closed,
    get streams() {
      return open.size;
    },
    endOf({ allocationId, workloadId }) {
      for (const [stream, order] of open) {
        if (order.allocationId !== allocationId) continue;
        if (workloadId === undefined || order.workloadId === workloadId) stream.close(constants.NGHTTP2_CANCEL);
      }
    },
    close: () => session.destroy(),
  };
}

function refuse(stream: ServerHttp2Stream, why: AppTunnelRefusal): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond({ ':status': status[why], [appTunnelRefusal]: why }, { endStream: true });
}

/** Each direction ends by itself, and an error on one side ends both. */
function join(stream: ServerHttp2Stream, inside: Duplex): void {
  inside.on('error', () => stream.close(constants.NGHTTP2_CONNECT_ERROR));
  inside.once('close', () => {
    if (!stream.writableFinished) stream.close(constants.NGHTTP2_CONNECT_ERROR);
  });
  stream.once('close', () => inside.destroy());
  stream.pipe(inside).pipe(stream);
}

function orderOf(headers: IncomingHttpHeaders): ConnectOrder | undefined {
  const said = (name: string) => (typeof headers[name] === 'string' ? headers[name] : '');
  const port = said(appTunnelHeaders.port);
  const order = {
    allocationId: said(appTunnelHeaders.allocation),
    workloadId: said(appTunnelHeaders.workload),
    port: /^[1-9]\d{0,4}$/.test(port) ? Number(port) : 0,
  };
  const isWhole = uuid.test(order.allocationId) && uuid.test(order.workloadId) && order.port > 0;
  return headers[':method'] === 'CONNECT' && isWhole && order.port <= mostPort ? order : undefined;
}

function refusalOf(error: unknown): AppTunnelRefusal {
  const code = error instanceof HostFailure ? error.code : undefined;
  if (code === 'not_found' || code === 'not_supported') return 'unknown_workload';
  return code === 'container_failed' ? 'not_running' : 'port_closed';
}

/** A proxy that is gone without a word: the tunnel is closed, and the agent dials again. */
function watchSilence(session: ReturnType<typeof performServerHandshake>): () => void {
  let isAwaited = false;
  const timer = setInterval(() => {
    if (isAwaited) return session.destroy();
    isAwaited = true;
    const sent = session.ping(() => {
      isAwaited = false;
    });
    if (!sent) session.destroy();
  }, appTunnelLimits.pingMs);
  timer.unref();
  return () => clearInterval(timer);
}
