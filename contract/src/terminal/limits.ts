/** WebSocket subprotocols. A browser offers its name together with the token; the server selects the name and never the token. */
export const terminalProtocols = {
  client: 'gpuaas.terminal.v1',
  node: 'gpuaas.terminal-node.v1',
  peer: 'gpuaas.terminal-peer.v1',
} as const;

/** Where each side connects; the braces are ids. */
export const terminalPaths = {
  client: '/ws/terminal/{allocation_id}',
  node: '/internal/ws/terminal/{session_id}',
  peer: '/internal/ws/peer/{session_id}',
} as const;

/** 256 bits, in hex. */
export const terminalTokenPattern = '^[a-f0-9]{64}$';

/** What every party keeps to. Times are in seconds, sizes in bytes. */
export const terminalLimits = {
  /** A token that was not used is void after this time. */
  tokenSeconds: 300,
  /** The agent sends at most this much more than the writer has acknowledged, then it pauses the shell. */
  windowBytes: 524_288,
  /** What the agent keeps of the last output, for clients that come back. */
  ringBytes: 262_144,
  /** A client acknowledges each time it has read this much. */
  ackBytes: 65_536,
  /** A gateway stops reading from one side while this much waits for the other one. */
  pauseAboveBytes: 262_144,
  /** A watcher that is this far behind is disconnected. */
  watcherLagBytes: 1_048_576,
  /** A chunk of a recording, and the events in it. */
  chunkBytes: 262_144,
  chunkEvents: 4_096,
  clientMessageBytes: 65_536,
  insideMessageBytes: 262_144,
  /** Between WebSocket pings; a side that misses two of them is gone. */
  pingSeconds: 30,
  missedPings: 2,
  /** A connection that has not said hello by then is closed. */
  helloSeconds: 10,
  /** Who watches the session of another person needs a new token after this time: its mint checks the right to it again. */
  watchSeconds: 120,
  /** The longest time for which the API keeps a question of a gateway waiting. */
  waitSeconds: 20,
  /** A gateway copy that asked nothing for this time is gone. */
  copyGoneSeconds: 60,
} as const;
