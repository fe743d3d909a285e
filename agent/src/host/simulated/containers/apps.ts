import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { ContainerState } from '../state.ts';

/**
 * What answers in place of the program of a simulated container: a real HTTP server, without a port of its own, that speaks of itself. It
 * has a page, `/healthz`, `/echo` with what it was asked, `/stream` with a line at a time, `/v1/models` for clients of model servers, and
 * echoes what a WebSocket brings.
 */
export interface SimulatedApps {
  connect(container: ContainerState, port: number): Duplex;
  endOf(workloadId: string): void;
  close(): void;
}
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const streamedLines = 5;
const betweenLinesMs = 20;
const mostBodyBytes = 1_048_576;
const mostMessageBytes = 1_048_576;

export function makeSimulatedApps(): SimulatedApps {
  const servers = new Map<string, { readonly server: Server; readonly sockets: Set<Duplex> }>();
  const appOf = (container: ContainerState) => {
    const known = servers.get(container.workload_id);
    if (known) return known;
    const made = { server: makeServer(container), sockets: new Set<Duplex>() };
    servers.set(container.workload_id, made);
    return made;
  };
  const endOf = (workloadId: string) => {
    const app = servers.get(workloadId);
    servers.delete(workloadId);
    for (const socket of app?.sockets ?? []) socket.destroy();
    app?.server.close();
  };
  return {
    connect(container, port) {
      const { server, sockets } = appOf(container);
      const [near, far] = duplexPair();
      Object.assign(far, { localPort: port });
      for (const one of [near, far]) one.on('error', () => one.destroy());
      near.once('close', () => far.destroy());
      far.once('close', () => {
        sockets.delete(far);
        near.destroy();
      });
      sockets.add(far);
      server.emit('connection', far);
      return near;
    },
    endOf,
    close() {
      for (const workloadId of [...servers.keys()]) endOf(workloadId);
    },
  };
}

function makeServer(container: ContainerState): Server {
  const page = pageOf(container);
  const routes: Readonly<Record<string, Answer>> = {
    '/': (_request, response) => send(response, 200, 'text/html; charset=utf-8', page),
    '/healthz': (_request, response) => send(response, 200, 'text/plain', 'simulated, and well\n'),
    '/echo': echo,
    '/stream': stream,
    '/v1/models': (_request, response) =>
      sendJson(response, { object: 'list', data: [{ id: 'simulated', object: 'model', owned_by: 'gpuaas' }] }),
  };
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://simulated').pathname;
    const answer = routes[path];
    if (answer) answer(request, response);
    else send(response, 404, 'text/plain', '[simulated] There is no such page.\n');
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: mostMessageBytes });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => opened.terminate());
      opened.send('[simulated] connected');
      opened.on('message', (data, isBinary) => opened.send(data, { binary: isBinary }));
    });
  });
  return server;
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}
const sendJson = (response: ServerResponse, body: object) =>
  send(response, 200, 'application/json', `${JSON.stringify(body)}\n`);

/** What reached the application: for tests of what does not. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBodyBytes) request.destroy();
  });
  request.on('end', () => {
    const { method, url, headers } = request;
    sendJson(response, { simulated: true, method, url, headers, body_bytes: bytes });
  });
}

function stream(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  let line = 0;
  const timer = setInterval(() => {
    line += 1;
    response.write(`data: [simulated] line ${line} of ${streamedLines}\n\n`);
    if (line < streamedLines) return;
    clearInterval(timer);
    response.end();
  }, betweenLinesMs);
  response.once('close', () => clearInterval(timer));
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function pageOf({ order, workload_id }: ContainerState): string {
  const rows = [
    ['Component', order.labels.component],
    ['Image', order.image],
    ['Instance', order.labels.instance_id],
    ['Workload', workload_id],
    ['GPUs', String(order.gpu_uuids.length)],
    ['Ports', order.ports.map(({ name, port }) => `${name} ${port}`).join(', ')],
  ].map(([name = '', value = '']) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(order.labels.component)} (simulated)</title>
<style>body{font:16px system-ui;margin:3rem auto;max-width:44rem;padding:0 1rem}th{text-align:left;padding-right:1rem;vertical-align:top}td{word-break:break-all}</style>
</head><body><h1>${escaped(order.labels.component)}</h1>
<p><strong>This is simulated.</strong> No image was fetched and no program of it runs. A small server on the simulated host answers in its place, through the same tunnel and the same proxy.</p>
<table>${rows.join('')}</table>
</body></html>
`;
}
