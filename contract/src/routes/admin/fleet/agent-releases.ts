import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../../ids.ts';
import { page, pageQuery } from '../../../pages.ts';
import { defineRoute } from '../../../route.ts';
import { recentSignIn } from '../../../step-up.ts';

const strict = { additionalProperties: false } as const;
const Digest = Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: 'SHA-256 of the file.' });
const Version = Type.String({
  pattern: '^[0-9A-Za-z.+-]{1,64}$',
  description: 'The version that the release reports.',
});

export const largestReleaseBytes = 64 * 1_024 * 1_024;

export const releaseKinds = ['bundle', 'tarball', 'deb'] as const;
export const releaseArchitectures = ['x64', 'arm64'] as const;
const Kind = Type.Enum([...releaseKinds], {
  description: 'A bundle updates agents that run. A tarball or a deb installs the agent, with its runtime.',
});
const Architecture = Type.Enum([...releaseArchitectures], { description: 'The architecture that a package is for.' });

export const AgentRelease = Type.Object(
  {
    id: Uuid,
    version: Version,
    kind: Kind,
    arch: Type.Union([Architecture, Type.Null()], { description: 'Null for a bundle, which runs on all.' }),
    digest: Digest,
    size_bytes: Type.Integer({ minimum: 1 }),
    created_at: Timestamp,
    withdrawn_at: Type.Union([Timestamp, Type.Null()], {
      description: 'Since when nodes no longer get it. Agents that run it continue.',
    }),
  },
  { $id: 'AgentRelease', ...strict },
);
export type AgentRelease = Static<typeof AgentRelease>;

const tag = 'AdminFleet';
const tenancy = { kind: 'none', why: 'Agent releases belong to the platform.' } as const;
const writing = {
  tag,
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy,
  lane: 'admin',
  idempotency: 'key',
} as const;

export const agentReleaseList = defineRoute({
  id: 'agent_release_list',
  method: 'GET',
  path: '/api/v1/admin/agent-releases',
  tag,
  summary: 'Agent releases of this installation, newest first',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(AgentRelease),
});

export const agentReleaseAdd = defineRoute({
  ...writing,
  id: 'agent_release_add',
  method: 'POST',
  path: '/api/v1/admin/agent-releases',
  summary: 'Upload an agent release: a bundle for updates, or a package for new hosts; hosts fetch it by its digest',
  audit: 'agent_release.add',
  stepUp: recentSignIn,
  status: 201,
  errors: ['agent_release_invalid', 'agent_release_already_exists'],
  query: Type.Object(
    {
      version: Version,
      digest: Digest,
      size_bytes: Type.Integer({ minimum: 1, maximum: largestReleaseBytes, description: 'Size of the file.' }),
      kind: Type.Optional(Kind),
      arch: Type.Optional(Architecture),
    },
    strict,
  ),
  upload: {
    name: 'bundle',
    description: 'The file itself. It is refused unless it has the declared size and digest.',
    largestBytes: largestReleaseBytes,
  },
  response: AgentRelease,
});

export const agentReleaseWithdraw = defineRoute({
  ...writing,
  id: 'agent_release_withdraw',
  method: 'POST',
  path: '/api/v1/admin/agent-releases/{release_id}/withdraw',
  summary: 'Withdraw an agent release: no further host gets it',
  audit: 'agent_release.withdraw',
  stepUp: recentSignIn,
  errors: ['agent_release_not_found'],
  params: Type.Object({ release_id: Uuid }, strict),
  body: Type.Object(
    { reason: Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' }) },
    strict,
  ),
  response: AgentRelease,
});

export const nodeAgentUpdate = defineRoute({
  ...writing,
  tag: 'AdminNodes',
  id: 'node_agent_update',
  method: 'POST',
  path: '/api/v1/admin/nodes/{node_id}/agent-update',
  summary: 'Update the agent of a host to a release; one that does not report in time is rolled back automatically',
  audit: 'node.agent_update',
  stepUp: recentSignIn,
  errors: ['node_not_found', 'node_offline', 'agent_release_not_found'],
  status: 202,
  params: Type.Object({ node_id: Uuid }, strict),
  body: Type.Object({ release_id: Uuid }, strict),
  response: Type.Object({ task_id: Uuid }, strict),
});
