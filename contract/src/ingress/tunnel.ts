/** The name of the process at the other end of a tunnel, as its certificate has it. */
export const appProxyName = 'app-proxy';

/** What both ends agree on in the TLS handshake (ALPN): inside is HTTP/2, with the node as the server. */
export const appTunnelProtocol = 'gpuaas-app-tunnel/1';

/**
 * One stream of a tunnel is one TCP connection to one port of one container: `CONNECT`, with these headers, and then bytes. The node opens
 * ports that the order of the container names, and no others.
 */
export const appTunnelHeaders = {
  allocation: 'gpuaas-allocation',
  workload: 'gpuaas-workload',
  port: 'gpuaas-port',
} as const;

/** Why a node did not open a stream: the header of its answer, beside the status. */
export const appTunnelRefusal = 'gpuaas-refusal';
export const appTunnelRefusals = ['unknown_workload', 'not_running', 'port_closed', 'busy', 'malformed'] as const;
export type AppTunnelRefusal = (typeof appTunnelRefusals)[number];

export const appTunnelLimits = {
  /** Streams of one tunnel at the same time. */
  streams: 1_000,
  /** Streams of one container at the same time. */
  streamsPerWorkload: 256,
  connectMs: 5_000,
  pingMs: 10_000,
  /** A tunnel whose other end has not answered for so long is closed. */
  silenceMs: 30_000,
  /** What may be on its way: in one stream, and in all streams of a tunnel. */
  streamWindowBytes: 262_144,
  windowBytes: 4_194_304,
} as const;
