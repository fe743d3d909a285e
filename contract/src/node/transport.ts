import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { logPushPath } from '../logs/push.ts';
import { SignersStatement, SignerVersion } from './signers.ts';

/** Where an agent calls. It has one destination, the node hostname, and is never called itself. */
export const nodeTransport = {
  enrol: { method: 'POST', path: '/internal/v1/nodes/enrol', carries: 'NodeEnrolment', answers: 'NodeEnrolled' },
  /** Opened with an upgrade; what follows is said on it, a call or an answer a line. */
  line: { method: 'GET', path: '/internal/v1/nodes/line', carries: 'LineCall', answers: 'LineAnswer' },
  renew: {
    method: 'POST',
    path: '/internal/v1/nodes/{id}/certificate',
    carries: 'NodeRenewal',
    answers: 'NodeEnrolled',
  },
  /** Answers 204 when there was no work for half a minute: ask again. */
  wait: { method: 'GET', path: '/internal/v1/nodes/{id}/tasks/wait', answers: 'NodeTask' },
  progress: { method: 'POST', path: '/internal/v1/nodes/{id}/tasks/{task_id}/progress', carries: 'NodeTaskProgress' },
  result: { method: 'POST', path: '/internal/v1/nodes/{id}/tasks/{task_id}/result', carries: 'NodeTaskResult' },
  heartbeat: {
    method: 'POST',
    path: '/internal/v1/nodes/{id}/heartbeat',
    carries: 'NodeHeartbeat',
    answers: 'NodeHeartbeatAnswer',
  },
  /** Signed usage records of the leases of a host. Charges are based on them. */
  usage: {
    method: 'POST',
    path: '/internal/v1/nodes/{id}/usage',
    carries: 'NodeUsageReport',
    answers: 'NodeUsageAnswer',
  },
  /** Samples of what the host measures. */
  telemetry: {
    method: 'POST',
    path: '/internal/v1/nodes/{id}/telemetry',
    carries: 'NodeTelemetryReport',
    answers: 'NodeTelemetryAnswer',
  },
  /** The log of the node, in the push format of Loki: at the address that heartbeats name, and never on the line. */
  logs: { method: 'POST', path: logPushPath, carries: 'NodeLogPush' },
  /** The bundle of an agent release, by its SHA-256 in hex. The agent fetches releases only here. */
  release: { method: 'GET', path: '/internal/v1/nodes/{id}/releases/{digest}', answers: 'bytes' },
} as const;

/**
 * A node that asks for work for the first time, or after its line broke, names the tasks that it has, joined by commas.
 * Every other task that was handed out to it is handed out again at once. Without the list, a task that is not reported
 * as running is handed out again after a policy's time.
 */
export const knownTasksHeader = 'gpuaas-known-tasks';
export const mostKnownTasks = 64;

const Csr = Type.String({
  minLength: 100,
  maxLength: 10_000,
  description:
    'A PKCS#10 request in PEM, for a P-256 or P-384 key. Its subject is empty or node-{id}: names are written by the control plane’s records, and a request for any other name may be refused.',
});
const ResultKey = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'The raw Ed25519 key, in base64url, that this node signs its results with.',
});

/** Shown once, over a connection whose authority the agent has pinned; nothing but this may be done with the token. */
export const NodeEnrolment = Type.Object(
  {
    token: Type.String({ minLength: 20, maxLength: 200 }),
    csr: Csr,
    result_key: ResultKey,
    agent_version: Type.String({ maxLength: 64 }),
    boot_id: Uuid,
    signature: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{86}$',
        description:
          'Ed25519 in base64url with the result key, over the canonical JSON (RFC 8785) of the rest. A node that recovers proves the key by which it is known.',
      }),
    ),
  },
  { $id: 'NodeEnrolment', additionalProperties: false },
);
export type NodeEnrolment = Static<typeof NodeEnrolment>;

export const NodeRenewal = Type.Object({ csr: Csr }, { $id: 'NodeRenewal', additionalProperties: false });
export type NodeRenewal = Static<typeof NodeRenewal>;

export const NodeEnrolled = Type.Object(
  {
    node_id: Uuid,
    certificate: Type.String({ description: 'The chain in PEM, leaf first.' }),
    authority: Type.String({ description: 'What the agent trusts from now on, in PEM.' }),
    signers: Type.Array(SignerVersion),
    signers_statement: Type.Optional(SignersStatement),
    heartbeat_seconds: Type.Integer({ minimum: 1 }),
    server_time: Timestamp,
  },
  { $id: 'NodeEnrolled' },
);
export type NodeEnrolled = Static<typeof NodeEnrolled>;

export const NodeTaskProgress = Type.Object(
  {
    generation: Type.Integer({ minimum: 1 }),
    phase: Type.String({ pattern: '^[a-z_]{1,40}$' }),
    state: Type.Enum(['began', 'ended']),
    at: Timestamp,
    percent: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  },
  { $id: 'NodeTaskProgress', additionalProperties: false },
);
export type NodeTaskProgress = Static<typeof NodeTaskProgress>;

/** In the style of Kubernetes: a type, a status, and since when. */
export const NodeCondition = Type.Object(
  {
    type: Type.String({ pattern: '^[A-Z][A-Za-z]{1,40}$' }),
    status: Type.Enum(['True', 'False', 'Unknown']),
    reason: Type.String({ maxLength: 100 }),
    message: Type.String({ maxLength: 500 }),
    since: Timestamp,
  },
  { $id: 'NodeCondition', additionalProperties: false },
);
export type NodeCondition = Static<typeof NodeCondition>;

/** What the node holds, by its own lease files. Reconcilers compare the rows with it. */
export const HeldLease = Type.Object(
  {
    allocation_id: Uuid,
    generation: Type.Integer({ minimum: 1 }),
    slot_ids: Type.Array(Uuid, { maxItems: 64 }),
    state: Type.Enum(['provisioning', 'running', 'stopped', 'releasing', 'ended', 'unknown']),
    deadline_at: Type.Union([Timestamp, Type.Null()]),
  },
  { $id: 'HeldLease', additionalProperties: false },
);
export type HeldLease = Static<typeof HeldLease>;

export const NodeHeartbeat = Type.Object(
  {
    boot_id: Uuid,
    agent_version: Type.String({ maxLength: 64 }),
    sent_at: Timestamp,
    conditions: Type.Array(NodeCondition, { maxItems: 50 }),
    leases: Type.Array(HeldLease, { maxItems: 64 }),
    running_tasks: Type.Array(Uuid, { maxItems: 64 }),
    gpu_utilization: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), { maxItems: 64, description: 'Percent, by slot index.' }),
    ),
    images: Type.Optional(
      Type.Array(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }), {
        maxItems: 64,
        description: 'Digests of the verified images on the host. Left out by a host that cannot list them.',
      }),
    ),
  },
  { $id: 'NodeHeartbeat', additionalProperties: false },
);
export type NodeHeartbeat = Static<typeof NodeHeartbeat>;

export const NodeHeartbeatAnswer = Type.Object(
  {
    server_time: Timestamp,
    signers: Type.Array(SignerVersion, {
      description: 'Every key that the node may obey, the keys that lead to them, and those that were revoked.',
    }),
    signers_statement: Type.Optional(SignersStatement),
    state: Type.String({ description: 'The state of the node, as the control plane has it.' }),
    logs_url: Type.Optional(
      Type.String({
        pattern: '^https://[A-Za-z0-9.:\\[\\]-]{1,255}$',
        description: 'Where the node pushes its log, with its certificate. Without it lines are kept on the node.',
      }),
    ),
    app_tunnel_urls: Type.Optional(
      Type.Array(Type.String({ pattern: '^https://[A-Za-z0-9.:\\[\\]-]{1,255}$' }), {
        maxItems: 16,
        description:
          'Where a node with containers keeps a tunnel, with its certificate: one to each copy of the app-proxy. Traffic of applications comes back through them.',
      }),
    ),
  },
  { $id: 'NodeHeartbeatAnswer' },
);
export type NodeHeartbeatAnswer = Static<typeof NodeHeartbeatAnswer>;
