import { createPublicKey, randomUUID, verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  NodeEnrolment,
  NodeHeartbeat,
  NodeRenewal,
  type NodeTask,
  NodeTaskProgress,
  NodeTaskResult,
  type NodeUsageRecord,
  NodeUsageReport,
  type SignersStatement,
  type SignerVersion,
  signedText,
} from '@gpuaas/contract/node';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { type Life, makeTestAuthority, type TestAuthority } from './authority.ts';
import { makeTestSigner, type TestSigner } from './signer.ts';

/**
 * A small control plane that speaks the node protocol over real TLS, with real certificates and real signatures. What it
 * is told it keeps; what it does wrong it does because a test asked for it.
 */
export interface TestControlPlane {
  readonly url: URL;
  readonly authority: TestAuthority;
  readonly nodeId: string;
  /** What the heartbeats and enrolments say about keys. */
  signers: SignerVersion[];
  /** The word of the active key on that list. */
  statement: SignersStatement;
  readonly signer: TestSigner;
  /** The time it says it is. */
  now: () => Date;
  life: (() => Life) | undefined;
  nodeState: string;
  heartbeatSeconds: number;
  /** Answers instead of the usual handling when it returns a status. */
  interfere: (
    kind: Kind,
    request: IncomingMessage,
  ) => number | 'drop' | undefined | Promise<number | 'drop' | undefined>;
  /** What becomes of a usage record whose signature holds. */
  judgeUsage: (record: NodeUsageRecord) => 'stored' | 'refused' | 'later';
  issueToken(): string;
  /** Hands a task, or anything else, to the next question. */
  give(task: unknown): void;
  readonly seen: {
    enrolments: NodeEnrolment[];
    heartbeats: NodeHeartbeat[];
    progress: NodeTaskProgress[];
    results: NodeTaskResult[];
    usage: NodeUsageRecord[];
    requests: string[];
    renewals: number;
  };
  /** Resolves when the claim holds; looked at after every request. */
  until(claim: () => boolean): Promise<void>;
  close(): Promise<void>;
}
export type Kind = 'enrol' | 'renew' | 'wait' | 'progress' | 'result' | 'heartbeat' | 'usage' | 'other';

export async function openTestControlPlane(given?: {
  readonly authority?: TestAuthority;
  /** Who names the server, when it is not who names nodes. */
  readonly https?: TestAuthority;
  readonly port?: number;
  readonly nodeId?: string;
  readonly download?: (path: string) => Buffer | undefined;
}): Promise<TestControlPlane> {
  const authority = given?.authority ?? (await makeTestAuthority());
  const server = await (given?.https ?? authority).issueServer();
  const signer = makeTestSigner();
  const tokens = new Map<string, string | undefined>();
  const queue: unknown[] = [];
  let waiting: ServerResponse[] = [];
  let claims: { readonly claim: () => boolean; readonly resolve: () => void }[] = [];
  let resultKey = '';

  const answer = (response: ServerResponse, status: number, body?: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
  const hand = () => {
    while (queue.length > 0) {
      const to = waiting.shift();
      if (!to) return;
      if (!to.destroyed) answer(to, 200, queue.shift());
    }
  };
  const look = () => {
    const held = claims.filter(({ claim }) => claim());
    claims = claims.filter((one) => !held.includes(one));
    for (const { resolve } of held) resolve();
  };
  const certify = async (csr: string) => ({
    node_id: plane.nodeId,
    certificate: await authority.issueNode(csr, plane.nodeId, plane.life?.()),
    authority: authority.pem,
    signers: plane.signers,
    signers_statement: plane.statement,
    heartbeat_seconds: plane.heartbeatSeconds,
    server_time: plane.now().toISOString(),
  });

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '';
    plane.seen.requests.push(`${request.method} ${path}`);
    const text = await readBody(request);
    const kind = kindOf(path);
    const instead = await plane.interfere(kind, request);
    if (instead === 'drop') {
      request.socket.destroy();
      return;
    }
    if (instead !== undefined) return answer(response, instead, {});
    const take = <S extends TSchema>(schema: S, into: unknown[]): boolean => {
      const body: unknown = JSON.parse(text);
      if (!Check(schema, body)) throw new Error(`not a ${JSON.stringify(schema)}: ${text}`);
      into.push(body);
      return true;
    };
    if (kind === 'enrol') {
      take(NodeEnrolment, plane.seen.enrolments);
      const enrolment = JSON.parse(text) as NodeEnrolment;
      const isNew = tokens.has(enrolment.token) && tokens.get(enrolment.token) === undefined;
      if (!isNew) return answer(response, 401, {});
      tokens.set(enrolment.token, 'used');
      resultKey = enrolment.result_key;
      return answer(response, 200, await certify(enrolment.csr));
    }
    const shown = (request.socket as TLSSocket).getPeerCertificate().subjectaltname ?? '';
    if (!(request.socket as TLSSocket).authorized || shown !== `URI:spiffe://gpuaas/node/${plane.nodeId}`) {
      return answer(response, 401, {});
    }
    switch (kind) {
      case 'renew':
        take(NodeRenewal, []);
        plane.seen.renewals += 1;
        return answer(response, 200, await certify((JSON.parse(text) as NodeRenewal).csr));
      case 'wait':
        waiting.push(response);
        response.once('close', () => {
          waiting = waiting.filter((one) => one !== response);
        });
        return hand();
      case 'progress':
        take(NodeTaskProgress, plane.seen.progress);
        return answer(response, 204);
      case 'result': {
        take(
          { ...NodeTaskResult, properties: { ...NodeTaskResult.properties, task_type: {} } } as TSchema,
          plane.seen.results,
        );
        const result = JSON.parse(text) as NodeTaskResult;
        const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: resultKey }, format: 'jwk' });
        const holds = verify(null, Buffer.from(signedText(result)), key, Buffer.from(result.signature, 'base64url'));
        return answer(response, holds ? 204 : 422);
      }
      case 'usage': {
        take(NodeUsageReport, []);
        const { records } = JSON.parse(text) as NodeUsageReport;
        const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: resultKey }, format: 'jwk' });
        const outcomes = records.map((record) => {
          const signature = Buffer.from(record.signature, 'base64url');
          const isSigned = verify(null, Buffer.from(signedText(record)), key, signature);
          const outcome = isSigned ? plane.judgeUsage(record) : 'refused';
          if (outcome === 'stored') plane.seen.usage.push(record);
          return outcome;
        });
        return answer(response, 200, { outcomes });
      }
      case 'heartbeat':
        take(NodeHeartbeat, plane.seen.heartbeats);
        return answer(response, 200, {
          server_time: plane.now().toISOString(),
          signers: plane.signers,
          signers_statement: plane.statement,
          state: plane.nodeState,
        });
      default: {
        const file = given?.download?.(path);
        if (!file) return answer(response, 404, {});
        response.writeHead(200);
        response.end(file);
      }
    }
  };

  const listener = createServer(
    { ...server, ca: authority.pem, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.3' },
    (request, response) => {
      void handle(request, response)
        .catch((error: unknown) => {
          trouble ??= error;
          if (!response.headersSent) answer(response, 500, {});
        })
        .finally(look);
    },
  );
  let trouble: unknown;
  await new Promise<void>((resolve) => listener.listen(given?.port ?? 0, '127.0.0.1', resolve));
  const plane: TestControlPlane = {
    url: new URL(`https://127.0.0.1:${(listener.address() as AddressInfo).port}`),
    authority,
    nodeId: given?.nodeId ?? randomUUID(),
    signer,
    signers: [signer.version()],
    statement: signer.state([signer.version()], 1),
    now: () => new Date(),
    life: undefined,
    nodeState: 'active',
    heartbeatSeconds: 3_600,
    interfere: () => undefined,
    judgeUsage: () => 'stored',
    issueToken() {
      const token = `gpuaas_node_${randomUUID().replaceAll('-', '')}`;
      tokens.set(token, undefined);
      return token;
    },
    give(task) {
      queue.push(task);
      hand();
    },
    seen: { enrolments: [], heartbeats: [], progress: [], results: [], requests: [], usage: [], renewals: 0 },
    until: (claim) =>
      new Promise((resolve) => {
        if (claim()) resolve();
        else claims.push({ claim, resolve });
      }),
    async close() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
      if (trouble) throw new Error('the test control plane was told something wrong', { cause: trouble });
    },
  };
  return plane;
}

export const resultOf = (plane: TestControlPlane, task: NodeTask): NodeTaskResult | undefined =>
  plane.seen.results.find(({ task_id }) => task_id === task.task_id);

function kindOf(path: string): Kind {
  const match =
    /^\/internal\/v1\/nodes\/(?:(enrol)|[^/]+\/(?:(certificate|heartbeat|usage)|tasks\/(?:(wait)|[^/]+\/(progress|result))))$/.exec(
      path,
    );
  const word = match?.slice(1).find(Boolean);
  return word === 'certificate' ? 'renew' : ((word as Kind | undefined) ?? 'other');
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
