import { type Static, Type } from 'typebox';
import { Slug, Timestamp, Uuid } from '../../../ids.ts';
import { HostTopology, hostAbilities } from '../../../node/topology.ts';
import { HeldLease, NodeCondition } from '../../../node/transport.ts';
import { page, pageQuery } from '../../../pages.ts';
import { defineRoute } from '../../../route.ts';
import { oneAtATime, recentSignIn } from '../../../step-up.ts';
import { SkuSlug } from '../../catalog.ts';
import { NodeAlert } from '../alerts.ts';
import { releaseArchitectures } from './agent-releases.ts';
import { ResourceSlot } from './slots.ts';

const strict = { additionalProperties: false } as const;
const When = Type.Union([Timestamp, Type.Null()]);
const Text = Type.Union([Type.String(), Type.Null()]);

/** A host name. Its characters have no meaning to a shell, a file system or a document. */
export const NodeName = Type.String({ pattern: '^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$', maxLength: 253 });
const Address = Type.String({
  pattern: '^[A-Za-z0-9:][A-Za-z0-9.:-]{0,252}$',
  maxLength: 253,
  description: 'A name or an IP address under which tenants reach the host.',
});
const Labels = Type.Record(
  Type.String({ pattern: '^[a-z0-9](?:[a-z0-9._/-]{0,61}[a-z0-9])?$' }),
  Type.String({ pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$', maxLength: 63 }),
  { maxProperties: 64, additionalProperties: false },
);
export const nodeStates = [
  'bootstrap_issued',
  'enrolling',
  'active',
  'offline',
  'quarantined',
  'draining',
  'retired',
  'removing',
  'deleted',
] as const;
const NodeState = Type.Enum([...nodeStates]);

export const nodeActions = [
  'publish',
  'cordon',
  'uncordon',
  'drain',
  'resume',
  'quarantine',
  'clear',
  'retire',
  'readmit',
  'reimage',
  'remove',
  'probe',
] as const;
export const NodeAction = Type.Object(
  { action: Type.Enum([...nodeActions]), allowed: Type.Boolean(), why_not: Text },
  { $id: 'NodeAction', ...strict },
);
export type NodeAction = Static<typeof NodeAction>;

const nodeFields = {
  id: Uuid,
  name: NodeName,
  region: Slug,
  sku: SkuSlug,
  gpus_total: Type.Integer({ minimum: 1, maximum: 64 }),
  onboarding_mode: Type.Enum(['manual', 'maas']),
  address: Type.Union([Address, Type.Null()]),
  labels: Type.Record(Type.String(), Type.String()),
  simulated: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'Whether the host is simulated, by its last discovery; null before the first discovery.',
  }),
  abilities: Type.Union([Type.Array(Type.Enum([...hostAbilities])), Type.Null()], {
    description:
      'What the host can do besides being rented out whole, by its last discovery; null before the first discovery, or when its agent does not say.',
  }),
  state: NodeState,
  state_reason: Text,
  schedulable: Type.Boolean({ description: 'Whether operators allow new work on the node.' }),
  cordon_reason: Text,
  version: Type.Integer(),
  enrolled_at: When,
  drain_deadline_at: When,
  topology_at: When,
  last_report_at: When,
  agent_version: Text,
  slots: Type.Record(Type.String(), Type.Integer(), { description: 'How many slots are in each state.' }),
  sellable_slots: Type.Integer({ description: 'Free slots that may be sold now: healthy, on a host that takes work.' }),
  alerts: Type.Array(NodeAlert, { description: 'Alerts about this node.' }),
  actions: Type.Array(NodeAction, { description: 'The actions that are possible now; for the others, why not.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const FleetNode = Type.Object(nodeFields, { $id: 'FleetNode', ...strict });
export type FleetNode = Static<typeof FleetNode>;

export const NodeDetail = Type.Object(
  {
    ...nodeFields,
    conditions: Type.Array(NodeCondition, { description: 'The last report of the node, and its assessment.' }),
    report: Type.Union([
      Type.Object(
        {
          reported_at: Timestamp,
          boot_id: Uuid,
          clock_skew_ms: Type.Integer(),
          running_tasks: Type.Array(Uuid),
          leases: Type.Array(HeldLease),
          gpu_utilization: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
        },
        strict,
      ),
      Type.Null(),
    ]),
    certificate: Type.Union([
      Type.Object({ serial: Type.String(), not_after: Timestamp, revoked_at: When }, strict),
      Type.Null(),
    ]),
    resource_slots: Type.Array(ResourceSlot),
    topology: Type.Union([HostTopology, Type.Null()]),
  },
  { $id: 'NodeDetail', ...strict },
);
export type NodeDetail = Static<typeof NodeDetail>;

/** What a host needs to enrol; shown once. */
export const NodeEnrolmentOffer = Type.Object(
  {
    node: FleetNode,
    purpose: Type.Enum(['enrol', 'recover']),
    expires_at: Timestamp,
    node_url: Type.String({ description: 'Where the host enrols and reports.' }),
    ca_fingerprint: Type.Union([Type.String(), Type.Null()], {
      description: 'SHA-256 of the authority that the host pins; null where it has a trust file of its own.',
    }),
    token: Type.String({ description: 'The enrolment token of this node; works once and is shown only here.' }),
    install_command: Type.String({ description: 'The command to run on the host.' }),
    agent_package: Type.Union(
      [
        Type.Object(
          { version: Type.String(), architectures: Type.Array(Type.Enum([...releaseArchitectures])) },
          strict,
        ),
        Type.Null(),
      ],
      {
        description:
          'The package that the command installs. Null when none is offered, and for a host that recovers: the agent is expected on the host.',
      },
    ),
    cloud_init: Type.String({ description: 'The same as user data for a cloud deployment.' }),
  },
  { $id: 'NodeEnrolmentOffer', ...strict },
);
export type NodeEnrolmentOffer = Static<typeof NodeEnrolmentOffer>;

const tag = 'AdminNodes';
const tenancy = { kind: 'none', why: 'Hosts belong to the platform.' } as const;
const reading = { tag, auth: { kind: 'admin', scope: 'fleet:read' }, tenancy, lane: 'admin' } as const;
const writing = {
  tag,
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy,
  lane: 'admin',
  idempotency: 'key',
} as const;
const params = Type.Object({ node_id: Uuid }, strict);
const reason = Type.String({
  minLength: 3,
  maxLength: 500,
  description: 'Why; kept with the node and in the audit log.',
});
const version = Type.Optional(
  Type.Integer({ minimum: 1, description: 'The version that you saw; refused if it has changed.' }),
);
const because = Type.Object({ reason, version }, strict);
const optional = Type.Object({ reason: Type.Optional(reason), version }, strict);
const moves = ['node_not_found', 'illegal_transition', 'version_conflict'] as const;
const shownOnce = ['token', 'install_command', 'cloud_init'] as const;

export const nodeCreate = defineRoute({
  id: 'node_create',
  method: 'POST',
  path: '/api/v1/admin/nodes',
  summary: 'Add a host; the answer contains what it needs to enrol, shown once',
  ...writing,
  audit: 'node.create',
  stepUp: recentSignIn,
  errors: ['node_already_exists', 'region_not_found', 'sku_not_found', 'sku_invalid'],
  status: 201,
  shownOnce,
  body: Type.Object(
    {
      name: NodeName,
      region: Slug,
      sku: SkuSlug,
      gpus_total: Type.Optional(nodeFields.gpus_total),
      address: Type.Optional(Address),
      labels: Type.Optional(Labels),
      onboarding_mode: Type.Optional(nodeFields.onboarding_mode),
    },
    strict,
  ),
  response: NodeEnrolmentOffer,
});

export const nodeList = defineRoute({
  id: 'node_list',
  method: 'GET',
  path: '/api/v1/admin/nodes',
  summary: 'The nodes, oldest first or by name',
  ...reading,
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      region: Type.Optional(Slug),
      sku: Type.Optional(SkuSlug),
      state: Type.Optional(NodeState),
      schedulable: Type.Optional(Type.Enum(['true', 'false'])),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Part of the name or of the address, or a whole id.',
        }),
      ),
      sort: Type.Optional(Type.Enum(['created', 'name'], { description: 'Oldest first when left out.' })),
    },
    strict,
  ),
  response: page(FleetNode),
});

export const nodeGet = defineRoute({
  id: 'node_get',
  method: 'GET',
  path: '/api/v1/admin/nodes/{node_id}',
  summary: 'One node: health, hardware and identity',
  ...reading,
  errors: ['node_not_found'],
  params,
  response: NodeDetail,
});

export const nodeUpdate = defineRoute({
  id: 'node_update',
  method: 'PATCH',
  path: '/api/v1/admin/nodes/{node_id}',
  summary: 'Change the labels or the address of a host',
  ...writing,
  audit: 'node.update',
  stepUp: recentSignIn,
  errors: ['node_not_found', 'version_conflict'],
  params,
  body: Type.Object(
    { labels: Type.Optional(Labels), address: Type.Optional(Type.Union([Address, Type.Null()])), version },
    strict,
  ),
  response: FleetNode,
});

export const nodeEnrolmentToken = defineRoute({
  id: 'node_enrolment_token',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/enrolment-token',
  summary:
    'Issue another enrolment token, for a host that did not enrol in time or lost its certificate; earlier tokens become void',
  ...writing,
  audit: 'node.issue_token',
  stepUp: recentSignIn,
  errors: moves,
  status: 201,
  shownOnce,
  params,
  body: Type.Object({ purpose: NodeEnrolmentOffer.properties.purpose, version }, strict),
  response: NodeEnrolmentOffer,
});

export const nodePublish = defineRoute({
  id: 'node_publish',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/publish',
  summary: 'Allow new work on an active host whose slots were approved',
  ...writing,
  audit: 'node.publish',
  stepUp: recentSignIn,
  errors: [...moves, 'node_not_ready'],
  params,
  body: optional,
  response: FleetNode,
});

export const nodeCordon = defineRoute({
  id: 'node_cordon',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/cordon',
  summary: 'Cordon a host: no new work; running work continues',
  ...writing,
  audit: 'node.cordon',
  stepUp: oneAtATime,
  errors: moves,
  params,
  body: because,
  response: FleetNode,
});

export const nodeUncordon = defineRoute({
  id: 'node_uncordon',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/uncordon',
  summary: 'Uncordon a host: new work is allowed again',
  ...writing,
  audit: 'node.uncordon',
  stepUp: oneAtATime,
  errors: [...moves, 'node_not_ready'],
  params,
  body: optional,
  response: FleetNode,
});

export const nodeDrain = defineRoute({
  id: 'node_drain',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/drain',
  summary: 'Drain a host: no new work, and allocations get notice until a deadline',
  ...writing,
  audit: 'node.drain',
  stepUp: oneAtATime,
  errors: moves,
  status: 202,
  params,
  body: Type.Object(
    {
      reason,
      version,
      notice_minutes: Type.Optional(Type.Integer({ minimum: 0, maximum: 43_200, description: 'Default: the policy.' })),
    },
    strict,
  ),
  response: FleetNode,
});

export const nodeResume = defineRoute({
  id: 'node_resume',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/resume',
  summary: 'Cancel a drain',
  ...writing,
  audit: 'node.resume',
  stepUp: oneAtATime,
  errors: moves,
  params,
  body: optional,
  response: FleetNode,
});

export const nodeRevoke = defineRoute({
  id: 'node_revoke',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/revoke',
  summary: 'Revoke every certificate of a host: it is cut off within seconds, until it recovers with a new token',
  ...writing,
  audit: 'node.revoke',
  stepUp: { maxAge: 'auth.step_up_max_age_seconds' },
  errors: ['node_not_found'],
  params,
  body: Type.Object({ reason }, strict),
  response: Type.Object({ revoked: Type.Integer({ description: 'How many certificates were still valid.' }) }, strict),
});

export const nodeQuarantine = defineRoute({
  id: 'node_quarantine',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/quarantine',
  summary: 'Quarantine a host: it gets no new work until an operator clears it',
  ...writing,
  audit: 'node.quarantine',
  stepUp: oneAtATime,
  errors: moves,
  params,
  body: because,
  response: FleetNode,
});

export const nodeClear = defineRoute({
  id: 'node_clear',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/clear',
  summary: 'Clear a quarantined host, after a health probe has passed that is newer than the cause',
  ...writing,
  audit: 'node.clear',
  stepUp: oneAtATime,
  errors: [...moves, 'probe_required'],
  params,
  body: because,
  response: FleetNode,
});

export const nodeRetire = defineRoute({
  id: 'node_retire',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/retire',
  summary: 'Retire an empty host',
  ...writing,
  audit: 'node.retire',
  stepUp: recentSignIn,
  errors: [...moves, 'node_in_use'],
  params,
  body: because,
  response: FleetNode,
});

export const nodeReadmit = defineRoute({
  id: 'node_readmit',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/readmit',
  summary: 'Return a retired host to service after a fresh health probe has passed; it stays cordoned',
  ...writing,
  audit: 'node.readmit',
  stepUp: oneAtATime,
  errors: [...moves, 'probe_required'],
  params,
  body: because,
  response: FleetNode,
});

export const nodeReimage = defineRoute({
  id: 'node_reimage',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/reimage',
  summary: 'Reimage a quarantined or retired host that holds nothing; without proof it is quarantined',
  ...writing,
  audit: 'node.reimage',
  stepUp: recentSignIn,
  errors: ['node_not_found', 'illegal_transition', 'version_conflict', 'node_in_use', 'os_image_not_found'],
  status: 202,
  params,
  body: Type.Object(
    {
      image: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,99}$', description: 'The slug of an image for its SKU.' }),
      reason,
      version,
    },
    strict,
  ),
  response: FleetNode,
});

export const nodeRemove = defineRoute({
  id: 'node_remove',
  method: 'DELETE',
  path: '/api/v1/admin/nodes/{node_id}',
  summary: 'Remove a host for good; one that never enrolled is removed at once',
  ...writing,
  audit: 'node.remove',
  stepUp: recentSignIn,
  errors: [...moves, 'node_in_use'],
  status: 202,
  params,
  body: because,
  response: FleetNode,
});

const Queued = Type.Object({ task_id: Uuid }, strict);

export const nodeTopologyDiscover = defineRoute({
  id: 'node_topology_discover',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/topology/discover',
  summary: 'Discover the hardware of a host; the result is in its topology',
  ...writing,
  audit: 'node.discover',
  stepUp: oneAtATime,
  errors: ['node_not_found', 'node_offline'],
  status: 202,
  params,
  response: Queued,
});

export const nodeHealthProbe = defineRoute({
  id: 'node_health_probe',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/health-probe',
  summary: 'Probe the health of a host; the result is with its tasks',
  ...writing,
  audit: 'node.probe',
  stepUp: oneAtATime,
  errors: ['node_not_found', 'node_offline'],
  status: 202,
  params,
  response: Queued,
});
