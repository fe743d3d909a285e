import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Agent, request } from 'node:https';
import { text as readText } from 'node:stream/consumers';
import type { SecureContextOptions } from 'node:tls';
import {
  type NodeEnrolled,
  type NodeHeartbeat,
  type NodeTask,
  type NodeTaskResult,
  signedText,
} from '@gpuaas/contract/node';
import { systemIds } from '../kernel/id.ts';
import { makeRequest } from '../ports/certificates/request.ts';

/** What was answered, whatever it was. */
export interface NodeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}
export interface Identity {
  readonly nodeId: string;
  readonly certificate: string;
  readonly key: string;
}

/** Speaks to the door of nodes as an agent would, or as somebody who pretends to be one. */
export interface NodeClient {
  call(method: string, path: string, ask?: Asking): Promise<NodeReply>;
  enrol(token: string): Promise<NodeReply>;
  close(): void;
}
export interface Asking {
  readonly body?: unknown;
  /** Sent as it is, instead of a body. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const anyResultKey = () => generateKeyPairSync('ed25519');
export const rawKey = (key: KeyObject): string => key.export({ format: 'jwk' }).x ?? '';

export function makeNodeClient(door: {
  readonly port: number;
  readonly roots: string;
  readonly identity?: Pick<Identity, 'certificate' | 'key'>;
}): NodeClient {
  const shown: SecureContextOptions = door.identity ? { cert: door.identity.certificate, key: door.identity.key } : {};
  const agent = new Agent({ keepAlive: true, ca: door.roots, maxCachedSessions: 0, ...shown });
  const call: NodeClient['call'] = (method, path, ask = {}) =>
    new Promise((resolve, reject) => {
      const text = ask.raw ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body));
      const headers = {
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...ask.headers,
      };
      const sent = request({ host: '127.0.0.1', port: door.port, method, path, agent, headers }, (response) => {
        readText(response).then((answer) => {
          const body: unknown = answer === '' ? undefined : JSON.parse(answer);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        }, reject);
      });
      sent.on('error', reject);
      sent.end(text);
    });
  return {
    call,
    async enrol(token) {
      const { pem } = await makeRequest(undefined);
      return call('POST', '/internal/v1/nodes/enrol', { body: enrolmentOf(token, pem) });
    },
    close: () => agent.destroy(),
  };
}

export const enrolmentOf = (token: string, csr: string, key = rawKey(anyResultKey().publicKey)) => ({
  token,
  csr,
  result_key: key,
  agent_version: '1.0.0',
  boot_id: systemIds.next(),
});

export const signedWith = <T extends Record<string, unknown>>(key: KeyObject, said: T): T & { signature: string } => ({
  ...said,
  signature: sign(null, Buffer.from(signedText(said)), key).toString('base64url'),
});

/** A host that has enrolled: it waits, reports and answers. */
export interface TestAgent extends Identity {
  readonly client: NodeClient;
  readonly resultKey: KeyObject;
  path(rest: string): string;
  heartbeat(more?: Partial<NodeHeartbeat>): Promise<NodeReply>;
  wait(): Promise<NodeReply>;
  result(task: NodeTask, more?: Partial<NodeTaskResult>): NodeTaskResult;
  post(task: NodeTask, result: object): Promise<NodeReply>;
}

export async function enrolAgent(
  door: { readonly port: number; readonly roots: string },
  token: string,
  /** The key that a node which recovers is known by. */
  known?: KeyObject,
) {
  const { pem, privateKey } = await makeRequest(undefined);
  const resultKey = known ?? anyResultKey().privateKey;
  const stranger = makeNodeClient(door);
  const reply = await stranger.call('POST', '/internal/v1/nodes/enrol', {
    body: signedWith(resultKey, enrolmentOf(token, pem, rawKey(createPublicKey(resultKey)))),
  });
  stranger.close();
  if (reply.status !== 200) throw new Error(`not enrolled: ${JSON.stringify(reply.body)}`);
  const enrolled = reply.body as NodeEnrolled;
  const identity = { nodeId: enrolled.node_id, certificate: enrolled.certificate, key: privateKey };
  return { enrolled, agent: agentOf(door, identity, resultKey) };
}

export function agentOf(
  door: { readonly port: number; readonly roots: string },
  identity: Identity,
  resultKey: KeyObject,
): TestAgent {
  const client = makeNodeClient({ ...door, identity });
  const path = (rest: string) => `/internal/v1/nodes/${identity.nodeId}/${rest}`;
  return {
    ...identity,
    client,
    resultKey,
    path,
    heartbeat: (more = {}) => client.call('POST', path('heartbeat'), { body: { ...heartbeatOf(), ...more } }),
    wait: () => client.call('GET', path('tasks/wait')),
    result(task, more = {}) {
      const { signature: _, ...said } = {
        task_id: task.task_id,
        node_id: task.node_id,
        task_type: task.task_type,
        generation: task.generation,
        outcome: 'succeeded' as const,
        started_at: new Date().toISOString(),
        finished_at: new Date().toISOString(),
        signature: '',
        ...more,
      };
      return signedWith(resultKey, said);
    },
    post: (task, result) => client.call('POST', path(`tasks/${task.task_id}/result`), { body: result }),
  };
}

const bootId = systemIds.next();
/** What a node says that has nothing to say. */
export const heartbeatOf = (): NodeHeartbeat => ({
  boot_id: bootId,
  agent_version: '1.0.0',
  sent_at: new Date().toISOString(),
  conditions: [],
  leases: [],
  running_tasks: [],
});
