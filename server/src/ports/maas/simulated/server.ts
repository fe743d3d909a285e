import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { apiKeyIn, isSameKey } from '../oauth.ts';
import { describeApi } from './describe.ts';
import { makeRegion, Refusal, type Region, type RegionParts, type SimulatedMachine, statusNumber } from './region.ts';

export interface SimulatedMaas {
  readonly url: string;
  readonly apiKey: string;
  readonly region: Region;
  close(): Promise<void>;
}
export interface SimulatedMaasSettings extends RegionParts {
  readonly apiKey: string;
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
}

const username = 'gpuaas';
const bodyBytes = 4 * 1_024 * 1_024;

/** Serves a region as MAAS 2.0 does: HTTP, OAuth 1.0a with PLAINTEXT, forms and JSON. It listens on this machine only. */
export async function startSimulatedMaas(settings: SimulatedMaasSettings): Promise<SimulatedMaas> {
  const region = makeRegion(settings);
  let base = '';
  const answer = (request: IncomingMessage, reply: ServerResponse) => {
    serve(request, reply, { region, base, apiKey: settings.apiKey }).catch(() => reply.destroy());
  };
  const server = settings.tls ? createTlsServer(settings.tls, answer) : createServer(answer);
  server.listen(settings.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  base = `${settings.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/MAAS`;
  return {
    url: base,
    apiKey: settings.apiKey,
    region,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Serving {
  readonly region: Region;
  readonly base: string;
  readonly apiKey: string;
}
type Form = ReadonlyMap<string, string>;

async function serve(request: IncomingMessage, reply: ServerResponse, serving: Serving): Promise<void> {
  const url = new URL(request.url ?? '/', serving.base);
  const form = await readForm(request);
  if (form === undefined) return void reply.writeHead(413).end('Too large.');
  const path = /^\/MAAS\/api\/2\.0\/(.*)$/.exec(url.pathname)?.[1];
  const op = url.searchParams.get('op') ?? (request.method === 'PUT' ? 'update' : 'read');
  if (path === undefined) return void reply.writeHead(404).end('Not Found');
  const fault = takeFault(serving.region, op);
  if (fault?.kind === 'silent') return;
  if (fault?.kind === 'status') return void reply.writeHead(fault.status).end('Something went wrong in the region.');
  if (fault?.kind === 'garbage') return void reply.writeHead(200).end('<html>a page of something else</html>');
  const found = answerTo(request, { path, op, form, query: url.searchParams }, serving);
  if (fault?.kind === 'lost_answer') return void reply.destroy();
  if (found instanceof Refusal)
    return void reply.writeHead(found.status, { 'content-type': 'text/plain' }).end(found.text);
  reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
}

function takeFault({ faults }: Region, op: string) {
  const at = faults.findIndex((each) => each.kind !== 'fails' && (each.op === undefined || each.op === op));
  const fault = faults[at];
  if (!fault || fault.kind === 'fails') return undefined;
  if (fault.times <= 1) faults.splice(at, 1);
  else faults[at] = { ...fault, times: fault.times - 1 };
  return fault;
}

interface Question {
  readonly path: string;
  readonly op: string;
  readonly form: Form;
  readonly query: URLSearchParams;
}
function answerTo(request: IncomingMessage, question: Question, { region, base, apiKey }: Serving): object | Refusal {
  const { path, op, form, query } = question;
  if (path === 'describe/') return describeApi(base);
  if (path === 'version/') return { version: '3.5.2', subversion: 'simulated', capabilities: ['devices-management'] };
  const key = apiKeyIn(request.headers.authorization);
  if (key === undefined || !isSameKey(key, apiKey))
    return new Refusal(401, 'Authorization Error: Invalid access token.');
  if (path === 'users/' && op === 'whoami') return { username, email: 'gpuaas@example.invalid', is_superuser: true };
  const show = (machine: SimulatedMachine) => showMachine(machine);
  if (path === 'machines/' && op === 'read') {
    const [pool, ids] = [query.get('pool'), query.getAll('id')];
    const isAsked = (each: SimulatedMachine) =>
      (pool === null || each.pool === pool) && (ids.length === 0 || ids.includes(each.systemId));
    return region.all().filter(isAsked).map(show);
  }
  const systemId =
    path === 'machines/' && op === 'allocate' ? form.get('system_id') : /^machines\/([^/]+)\/$/.exec(path)?.[1];
  if (systemId === undefined) return new Refusal(404, 'Unknown API endpoint.');
  const machine = region.find(decodeURIComponent(systemId));
  if (!machine) {
    return op === 'allocate'
      ? new Refusal(409, 'No available machine matches constraints.')
      : new Refusal(404, 'No Machine matches the given query.');
  }
  if (op === 'query_power_state') return { state: machine.power };
  return perform(region, machine, op, form) ?? show(region.find(machine.systemId) ?? machine);
}

function perform(region: Region, machine: SimulatedMachine, op: string, form: Form): Refusal | undefined {
  switch (op) {
    case 'read':
      return undefined;
    case 'allocate':
      return region.allocate(machine, username);
    case 'commission':
      return region.commission(machine);
    case 'deploy': {
      const text = form.get('user_data');
      const userData = text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8');
      const [osystem, series] = [form.get('osystem') ?? 'ubuntu', form.get('distro_series') ?? 'noble'];
      return region.deploy(machine, { osystem, series, userData, owner: username });
    }
    case 'release':
      return region.release(machine, form.get('erase') === 'true');
    case 'abort':
      return region.abort(machine);
    case 'power_on':
    case 'power_off':
      machine.power = op === 'power_on' ? 'on' : 'off';
      return undefined;
    case 'update':
      machine.hostname = form.get('hostname') ?? machine.hostname;
      return undefined;
    case 'set_owner_data':
      for (const [name, value] of form) {
        if (value === '') delete machine.ownerData[name];
        else machine.ownerData[name] = value;
      }
      return undefined;
    default:
      return new Refusal(400, `Unrecognised signature: method=POST op=${op}`);
  }
}

const showMachine = (machine: SimulatedMachine) => ({
  system_id: machine.systemId,
  hostname: machine.hostname,
  fqdn: `${machine.hostname}.maas`,
  status: statusNumber(machine.status),
  status_name: machine.status.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase()),
  status_message: machine.message,
  status_action: '',
  power_state: machine.power,
  power_type: 'manual',
  owner: machine.owner ?? '',
  owner_data: machine.ownerData,
  osystem: machine.osystem,
  distro_series: machine.series,
  architecture: 'amd64/generic',
  cpu_count: machine.cpus,
  memory: machine.memoryMib,
  storage: 7_680_000,
  tag_names: machine.tags,
  ip_addresses: [],
  locked: machine.locked,
  netboot: machine.status !== 'deployed',
  node_type: 0,
  node_type_name: 'Machine',
  zone: { id: 1, name: 'default', description: '' },
  pool: { id: 0, name: machine.pool, description: '' },
  resource_uri: `/MAAS/api/2.0/machines/${machine.systemId}/`,
});

/** A form in either encoding that MAAS takes. Undefined when it is larger than anything that we send. */
async function readForm(request: IncomingMessage): Promise<Form | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytes) return undefined;
    chunks.push(chunk);
  }
  const type = request.headers['content-type'] ?? '';
  const body = Buffer.concat(chunks);
  if (type.startsWith('multipart/form-data')) return readMultipart(body, type);
  return new Map(new URLSearchParams(body.toString('utf8')));
}

/** Parts whose content is text, or base64 as Python's mail library writes it. */
function readMultipart(body: Buffer, type: string): Form {
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1] ?? '';
  const form = new Map<string, string>();
  for (const part of body.toString('latin1').split(`--${boundary}`)) {
    const [head = '', ...lines] = part.replaceAll('\r\n', '\n').replace(/^\n/, '').split('\n\n');
    const content = lines.join('\n\n').replace(/\n$/, '');
    const name = /name="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) continue;
    const bytes = Buffer.from(content, /transfer-encoding:\s*base64/i.test(head) ? 'base64' : 'latin1');
    form.set(name, bytes.toString('utf8'));
  }
  return form;
}
