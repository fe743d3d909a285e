import { isTestCode } from '../../lib/tree.ts';
import { type Node, sourceLaw } from '../law.ts';

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** Files of the agent that open connections, by where they lead. */
const destinations = {
  'the control plane, at the one address of the settings, and the log gateway that its heartbeats name': [
    'agent/src/transport/client.ts',
    'agent/src/transport/trust.ts',
  ],
  'the gateway that a signed task names': ['agent/src/terminal/dial.ts'],
  'the copies of the app-proxy that the control plane names, while a lease has containers': [
    'agent/src/tunnel/tunnels.ts',
  ],
  'machines of this host': [
    'agent/src/host/forward.ts',
    'agent/src/host/stream.ts',
    'agent/src/host/linux/ssh/ssh.ts',
    'agent/src/host/simulated/ssh/ssh-server.ts',
  ],
  'nothing: it listens for the machines of slices, at the bridge of this host': [
    'agent/src/host/linux/slices/reports/listen.ts',
  ],
  // It needs the HTTP server of node:http, which has no module of its own; it is given connections and listens at no port.
  'nothing: what answers for a simulated container, in memory': ['agent/src/host/simulated/containers/apps.ts'],
};
export const dialingFiles: readonly string[] = Object.values(destinations).flat();

const dials = /^(?:node:)?(?:net|tls|https?|http2|dgram|dns(?:\/promises)?)$|^(?:undici|axios|got|node-fetch)(?:\/|$)/;
const globals = /^(?:globalThis\.)?(?:fetch|WebSocket|EventSource|XMLHttpRequest)$/;

/** Names that speak over a connection which they are given. They can neither open one nor listen for one. */
const givenConnections: Readonly<Record<string, readonly string[]>> = {
  'node:http2': ['constants', 'performServerHandshake'],
};

/** Whether an import takes nothing from its module but types and names that open no connection. */
function opensNothing(node: Node, module: string): boolean {
  const taken = node.type === 'ImportDeclaration' ? (node['specifiers'] as readonly Node[]) : [];
  const isHarmless = (one: Node) => {
    const name = isNode(one['imported']) ? String(one['imported']['name']) : '';
    return one['importKind'] === 'type' || givenConnections[module]?.includes(name) === true;
  };
  return taken.length > 0 && taken.every(isHarmless);
}

/**
 * Hosts stand in other people's buildings and have few ways out. What opens connections is a short list, and each file on it has one aim.
 */
export const agentsDialInNamedFiles = sourceLaw({
  name: 'agents-dial-in-named-files',
  applies: (path) =>
    path.startsWith('agent/src/') && !/\/testing\//.test(path) && !isTestCode(path) && !dialingFiles.includes(path),
  look: (node, _parents, text) => {
    const why =
      'an agent connects by transport, terminal/dial, tunnel/tunnels and the streams of its host alone; ask one of them';
    const source = node['source'];
    const isImport = /^(?:ImportDeclaration|ImportExpression|Export\w+)$/.test(node.type);
    if (isImport && node['importKind'] !== 'type' && isNode(source)) {
      const module = String(source['value']);
      if (dials.test(module) && !opensNothing(node, module)) return why;
    }
    const callee = /^(?:Call|New)Expression$/.test(node.type) ? node['callee'] : undefined;
    return isNode(callee) && globals.test(text.slice(callee.start, callee.end)) ? why : undefined;
  },
});
