import { type ChildProcess, execFile, fork } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { makeCaller } from '../../src/bin/all/caller.ts';
import { freePort } from '../../src/testing/servers/start.ts';
import type { AgentOrder } from '../chaos/agent-child.ts';
import { bringHost } from '../chaos/capacity.ts';
import { type Member, startMember } from '../composed/installation.ts';
import { endAll, type Started, start } from '../journeys/support/npm-start.ts';
import { signIn } from '../journeys/support/sign-in.ts';
import { edgeAddress, type Places } from './nginx.ts';

/** Ports of the edge in the profile. */
const usualPorts = [443, 80, 8444, 8445, 8446, 8449] as const;
const appsDomain = 'apps.gpuaas.test';
/** The part of a /8 that stands for the VPN: the edge, its network, and the public address of the edge. */
export const vpn = {
  edge: '127.0.0.3',
  network: '127.0.0.16/28',
  caller: '127.0.0.17',
  internet: '127.0.0.5',
} as const;

/**
 * `npm start` behind an edge: another copy of the api and another of the terminal-gateway, and two simulated hosts that know the edge
 * alone. Its public address is `https://localhost` with the port of the edge, which hosts call by that name too.
 */
export async function startBehindEdge() {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-edge-'));
  // The accounts of the database and of shells pass through.
  await chmod(folder, 0o711);
  const certificate = await makeCertificate(folder);
  const numbers = await Promise.all(usualPorts.map(async (port) => [port, await freePort()] as const));
  const ports = Object.fromEntries(numbers) as Record<(typeof usualPorts)[number], number>;
  const own = await ownPorts();
  const env = settingsOf(folder, ports, own);
  return {
    ...{
      folder,
      certificate,
      ports,
      own,
      places: placesOf(folder, ports, own),
      url: `https://localhost:${ports[443]}`,
    },
    start: () => startProcesses(folder, env, own, ports),
  };
}

/** A certificate of the edge that this process trusts. */
export async function makeCertificate(folder: string): Promise<string> {
  const [key, path] = [join(folder, 'localhost.key'), join(folder, 'localhost.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-days', '2'];
  const names = ['-subj', '/CN=edge', '-addext', `subjectAltName=DNS:localhost,DNS:*.${appsDomain}`];
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...names, '-keyout', key, '-out', path]);
  await copyFile(path, join(folder, `${appsDomain}.pem`));
  await copyFile(key, join(folder, `${appsDomain}.key`));
  const certificate = await readFile(path, 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
  return certificate;
}

type Own = Awaited<ReturnType<typeof ownPorts>>;
async function ownPorts() {
  const take = async () => ({ first: await freePort(), second: await freePort() });
  return {
    ...{ api: await take(), node: await take(), internal: await take() },
    ...{ terminal: await take(), terminalNode: await take() },
    ...{ logs: await freePort(), apps: await freePort(), tunnel: await freePort() },
  };
}

function placesOf(certificates: string, ports: Record<(typeof usualPorts)[number], number>, own: Own): Places {
  return {
    ...{ ports, certificates },
    processes: {
      '10.0.0.11:8443': own.api.first,
      '10.0.0.12:8443': own.api.second,
      '10.0.0.11:8444': own.node.first,
      '10.0.0.12:8444': own.node.second,
      '10.0.0.11:8448': own.terminal.first,
      '10.0.0.12:8448': own.terminal.second,
      '10.0.0.11:8446': own.terminalNode.first,
      '10.0.0.12:8446': own.terminalNode.second,
      '10.0.0.11:8445': own.logs,
      '10.0.0.11:8450': own.apps,
      '10.0.0.11:8449': own.tunnel,
    },
    names: {
      'tunnel-1.nodes.example.com': 'localhost',
      'tunnel-2.nodes.example.com': 'tunnel-2.gpuaas.test',
      'nodes.example.com': 'localhost',
      'gpu.example.com': 'localhost',
      'apps.example.net': appsDomain,
      '10.99.0.2': vpn.edge,
      '10.99.0.0/24': vpn.network,
      '203.0.113.10': vpn.internet,
    },
  };
}

function settingsOf(folder: string, ports: Record<(typeof usualPorts)[number], number>, own: Own) {
  return {
    NODE_EXTRA_CA_CERTS: join(folder, 'localhost.pem'),
    GPUAAS_PUBLIC_URL: `https://localhost:${ports[443]}`,
    GPUAAS_TRUSTED_PROXIES: edgeAddress,
    GPUAAS_NODE_URL: `https://localhost:${ports[8444]}`,
    GPUAAS_NODE_LOGS_URL: `https://localhost:${ports[8445]}`,
    GPUAAS_TERMINAL_URL: `wss://localhost:${ports[443]}`,
    GPUAAS_TERMINAL_NODE_URL: `wss://localhost:${ports[8446]}`,
    GPUAAS_APPS_URL: `https://${appsDomain}:${ports[443]}`,
    GPUAAS_APP_TUNNEL_URLS: `https://localhost:${ports[8449]}`,
    GPUAAS_NODE_PORT: String(own.node.first),
    GPUAAS_INTERNAL_PORT: String(own.internal.first),
    GPUAAS_INTERNAL_URL: `https://127.0.0.1:${own.internal.first}`,
    GPUAAS_TERMINAL_PORT: String(own.terminal.first),
    GPUAAS_TERMINAL_NODE_PORT: String(own.terminalNode.first),
    GPUAAS_NODE_LOG_PORT: String(own.logs),
    GPUAAS_APPS_PORT: String(own.apps),
    GPUAAS_APP_TUNNEL_PORT: String(own.tunnel),
  };
}

async function startProcesses(
  folder: string,
  env: Readonly<Record<string, string>>,
  own: Own,
  ports: Record<(typeof usualPorts)[number], number>,
) {
  const data = join(folder, 'data');
  const started = await start(['--data', data, '--bare', '--fleet', 'none', '--port', String(own.api.first)], { env });
  const copies = await startCopies(data, env, own).catch(async (error: unknown) => {
    await stop(started);
    throw error;
  });
  const [password = ''] = started.fact('Password').split(' ');
  const url = `https://localhost:${ports[443]}`;
  const agents: ChildProcess[] = [];
  return {
    ...{ started, copies, password },
    /** What the simulated provider signs its webhooks with. */
    webhookSecret: async () =>
      (await readFile(join(data, 'secrets/api/GPUAAS_SIMULATED_WEBHOOK_SECRET'), 'utf8')).trim(),
    /** Two hosts enrol, report and are published, through the edge. */
    bringHosts: async () => {
      const { access_token: token } = await signIn(url, { login: 'operator', password });
      const call = makeCaller(url, async () => token);
      for (const [seed, sku] of [
        ['slices', 'h200-sxm-slice'],
        ['whole', 'h200-sxm-baremetal-8g'],
      ] as const) {
        await bringHost(call, { name: `${seed}-1`, sku }, async (enrolment) => {
          agents.push(await startAgent(join(folder, seed), seed, `https://localhost:${ports[8444]}`, enrolment));
        });
      }
    },
    async close() {
      for (const agent of agents) agent.kill('SIGKILL');
      await Promise.all(copies.map((copy) => copy.stop()));
      await stop(started);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const startCopies = async (
  data: string,
  env: Readonly<Record<string, string>>,
  own: Own,
): Promise<readonly Member[]> => [await startSecondApi(data, env, own), await startSecondGateway(data, env, own)];

async function stop(started: Started): Promise<void> {
  // An orderly stop ends the database too.
  await started.kill('SIGTERM');
  await endAll();
}

/** With the secrets of the first one, and the same folders of files. */
async function startSecondApi(data: string, env: Readonly<Record<string, string>>, own: Own): Promise<Member> {
  const folder = join(data, 'secrets/api');
  const secrets = (await readdir(folder)).map((name) => [`${name}_FILE`, join(folder, name)] as const);
  return startMember('api', 1, {
    ...env,
    ...Object.fromEntries(secrets),
    GPUAAS_INSTANCE: 'second',
    GPUAAS_DATABASE_POOL_SIZE: '4',
    GPUAAS_PORT: String(own.api.second),
    GPUAAS_NODE_PORT: String(own.node.second),
    GPUAAS_INTERNAL_PORT: String(own.internal.second),
    GPUAAS_OBJECTS_FOLDER: join(data, 'objects'),
    GPUAAS_STORAGE_FOLDER: join(data, 'storage'),
    GPUAAS_OIDC_AUDIENCE: 'gpuaas',
    GPUAAS_LOG_LEVEL: 'error',
  });
}

const startSecondGateway = (data: string, env: Readonly<Record<string, string>>, own: Own): Promise<Member> =>
  startMember('terminal-gateway', 1, {
    ...env,
    GPUAAS_INSTANCE: 'second',
    GPUAAS_IDENTITY_FOLDER: join(data, 'identities/terminal-gateway'),
    GPUAAS_TERMINAL_PORT: String(own.terminal.second),
    GPUAAS_TERMINAL_NODE_PORT: String(own.terminalNode.second),
    GPUAAS_LOG_LEVEL: 'error',
  });

/** As an operator starts it: with the address that the edge has, and the fingerprint from the command. */
async function startAgent(
  folder: string,
  seed: string,
  url: string,
  enrolment: NonNullable<AgentOrder['enrolment']>,
): Promise<ChildProcess> {
  await mkdir(folder, { mode: 0o711 });
  const order: AgentOrder = { ...{ folder, url, seed, enrolment }, speed: 200 };
  const agent = fork(join(import.meta.dirname, '../chaos/agent-child.ts'), [JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await new Promise((resolve) => agent.once('message', resolve));
  return agent;
}
