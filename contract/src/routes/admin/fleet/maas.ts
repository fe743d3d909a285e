import { type Static, Type } from 'typebox';
import { Slug, Timestamp, Uuid } from '../../../ids.ts';
import { page, pageQuery } from '../../../pages.ts';
import { defineRoute } from '../../../route.ts';
import { oneAtATime, recentSignIn } from '../../../step-up.ts';
import { SkuSlug } from '../../catalog.ts';
import { NodeName, nodeStates } from './nodes.ts';

const strict = { additionalProperties: false } as const;
const When = Type.Union([Timestamp, Type.Null()]);
const Text = Type.Union([Type.String(), Type.Null()]);

const SiteName = Type.String({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$', maxLength: 63 });
const Release = Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' });
const SystemId = Type.String({ pattern: '^[a-z0-9]{1,32}$', description: 'The id that MAAS gave the machine.' });
const Url = Type.String({
  pattern: '^https?://[^\\s]{3,490}$',
  maxLength: 500,
  description: 'Where MAAS is, up to /MAAS. Only https is used, and http on this machine beside npm start.',
});
const Erase = Type.Enum(['secure', 'full', 'quick'], {
  description: 'How disks are erased when a machine is given back: by themselves, written over whole, or at both ends.',
});
const siteFields = {
  name: SiteName,
  region: Slug,
  url: Url,
  ca_pem: Type.Union([Type.String({ maxLength: 20_000 }), Type.Null()], {
    description: 'The authority of its certificate, where it is no public one.',
  }),
  pool: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
    description: 'Only machines of this resource pool are seen; all when null.',
  }),
  osystem: Release,
  series: Release,
  erase: Erase,
  max_parallel: Type.Integer({ minimum: 1, maximum: 50, description: 'How many machines are worked on at once.' }),
};

export const MaasSite = Type.Object(
  {
    id: Uuid,
    ...siteFields,
    release: Type.Union([Type.String(), Type.Null()], { description: 'The release of MAAS that answered last.' }),
    username: Type.Union([Type.String(), Type.Null()], { description: 'Whom its key belongs to.' }),
    seen_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When it answered; noted at most every few minutes.',
    }),
    problem: Text,
    failing_since: When,
    machines: Type.Integer({ description: 'How many machines MAAS lists there.' }),
    nodes: Type.Integer({ description: 'How many of them are nodes.' }),
    revision: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'MaasSite', ...strict },
);
export type MaasSite = Static<typeof MaasSite>;

/** Where the three layers contradict each other. */
export const maasDriftKinds = [
  'unknown_deployment',
  'machine_missing',
  'machine_not_deployed',
  'machine_failed',
  'power_off',
  'another_node',
] as const;
export const MaasDrift = Type.Object(
  { kind: Type.Enum([...maasDriftKinds]), message: Type.String() },
  { $id: 'MaasDrift', ...strict },
);
export type MaasDrift = Static<typeof MaasDrift>;

export const maasJobKinds = ['onboard', 'reimage', 'decommission', 'commission', 'power_on', 'power_off'] as const;
export const maasJobStates = ['queued', 'running', 'succeeded', 'failed'] as const;
export const MaasJob = Type.Object(
  {
    id: Uuid,
    site_id: Uuid,
    system_id: SystemId,
    hostname: Type.String(),
    kind: Type.Enum([...maasJobKinds]),
    state: Type.Enum([...maasJobStates]),
    phase: Type.String({ description: 'The step that was last begun.' }),
    node_id: Type.Union([Uuid, Type.Null()]),
    node_name: Text,
    reason: Type.String(),
    problem: Type.Union([Type.String(), Type.Null()], { description: 'Why it was taken back.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    ended_at: When,
  },
  { $id: 'MaasJob', ...strict },
);
export type MaasJob = Static<typeof MaasJob>;

export const MaasMachine = Type.Object(
  {
    site_id: Uuid,
    system_id: SystemId,
    hostname: Type.String(),
    maas: Type.Object(
      {
        status: Type.String({ description: 'In the words of MAAS.' }),
        detail: Type.String(),
        power: Type.Enum(['on', 'off', 'error', 'unknown']),
        owner: Text,
        missing_since: When,
        changed_at: Timestamp,
      },
      { ...strict, description: 'The first layer: what MAAS says of the machine.' },
    ),
    node: Type.Union(
      [Type.Object({ id: Uuid, name: NodeName, state: Type.Enum([...nodeStates]) }, strict), Type.Null()],
      { description: 'The second layer: the node that was made of it.' },
    ),
    allocations: Type.Array(Type.Object({ id: Uuid, state: Type.String() }, strict), {
      description: 'The third layer: what is rented on the node.',
    }),
    job: Type.Union([MaasJob, Type.Null()], { description: 'What is done to it now.' }),
    drift: Type.Array(MaasDrift, {
      description: 'Where the layers contradict each other; never while a job works on it.',
    }),
    architecture: Type.String(),
    cpus: Type.Integer(),
    memory_mib: Type.Integer(),
    tags: Type.Array(Type.String()),
  },
  { $id: 'MaasMachine', ...strict },
);
export type MaasMachine = Static<typeof MaasMachine>;

const tag = 'AdminMaas';
const tenancy = { kind: 'none', why: 'Machines belong to the platform.' } as const;
const reading = { tag, auth: { kind: 'admin', scope: 'fleet:read' }, tenancy, lane: 'admin' } as const;
const writing = {
  tag,
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy,
  lane: 'admin',
  idempotency: 'key',
} as const;
const ofSite = Type.Object({ site_id: Uuid }, strict);
const ofMachine = Type.Object({ site_id: Uuid, system_id: SystemId }, strict);
const reason = Type.String({
  minLength: 3,
  maxLength: 500,
  description: 'Why; kept with the job and in the audit log.',
});
const ApiKey = Type.String({
  pattern: '^[A-Za-z0-9]{1,64}:[A-Za-z0-9]{1,64}:[A-Za-z0-9]{1,64}$',
  description: 'The API key as MAAS shows it: consumer:token:secret. It is kept sealed and never shown again.',
});

export const maasSiteCreate = defineRoute({
  id: 'maas_site_create',
  method: 'POST',
  path: '/api/v1/admin/maas-sites',
  summary: 'Add a MAAS site; its machines are listed as soon as it answers',
  ...writing,
  audit: 'maas_site.create',
  stepUp: recentSignIn,
  errors: ['maas_site_already_exists', 'maas_url_refused', 'region_not_found', 'service_unavailable'],
  status: 201,
  body: Type.Object(
    {
      name: SiteName,
      region: Slug,
      url: Url,
      api_key: ApiKey,
      ca_pem: Type.Optional(siteFields.ca_pem),
      pool: Type.Optional(siteFields.pool),
      osystem: Type.Optional(Type.String({ ...Release, description: 'Default: ubuntu.' })),
      series: Type.Optional(Type.String({ ...Release, description: 'Default: noble.' })),
      erase: Type.Optional(Erase),
      max_parallel: Type.Optional(siteFields.max_parallel),
    },
    strict,
  ),
  response: MaasSite,
});

export const maasSiteList = defineRoute({
  id: 'maas_site_list',
  method: 'GET',
  path: '/api/v1/admin/maas-sites',
  summary: 'The MAAS sites, oldest first',
  ...reading,
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(MaasSite),
});

export const maasSiteGet = defineRoute({
  id: 'maas_site_get',
  method: 'GET',
  path: '/api/v1/admin/maas-sites/{site_id}',
  summary: 'One MAAS site, and whether it answers',
  ...reading,
  errors: ['maas_site_not_found'],
  params: ofSite,
  response: MaasSite,
});

export const maasSiteUpdate = defineRoute({
  id: 'maas_site_update',
  method: 'PATCH',
  path: '/api/v1/admin/maas-sites/{site_id}',
  summary: 'Change the address, the key or the settings of a MAAS site',
  ...writing,
  audit: 'maas_site.update',
  stepUp: recentSignIn,
  errors: [
    'maas_site_not_found',
    'maas_site_in_use',
    'maas_url_refused',
    'validation_error',
    'version_conflict',
    'service_unavailable',
  ],
  params: ofSite,
  body: Type.Object(
    {
      url: Type.Optional(Url),
      api_key: Type.Optional(ApiKey),
      ca_pem: Type.Optional(siteFields.ca_pem),
      pool: Type.Optional(siteFields.pool),
      osystem: Type.Optional(Release),
      series: Type.Optional(Release),
      erase: Type.Optional(Erase),
      max_parallel: Type.Optional(siteFields.max_parallel),
      revision: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The revision that you saw; refused if it has changed.' }),
      ),
    },
    strict,
  ),
  response: MaasSite,
});

export const maasSiteRemove = defineRoute({
  id: 'maas_site_remove',
  method: 'DELETE',
  path: '/api/v1/admin/maas-sites/{site_id}',
  summary: 'Forget a MAAS site of which no machine is a node',
  ...writing,
  audit: 'maas_site.remove',
  stepUp: recentSignIn,
  errors: ['maas_site_not_found', 'maas_site_in_use'],
  params: ofSite,
  body: Type.Object({ reason }, strict),
  response: MaasSite,
});

export const maasMachineList = defineRoute({
  id: 'maas_machine_list',
  method: 'GET',
  path: '/api/v1/admin/maas-sites/{site_id}/machines',
  summary: 'The machines of a MAAS site: what MAAS says, what the node is, what is rented, and where they contradict',
  ...reading,
  errors: ['maas_site_not_found', 'cursor_invalid'],
  params: ofSite,
  query: Type.Object(pageQuery, strict),
  response: page(MaasMachine),
});

export const maasMachineGet = defineRoute({
  id: 'maas_machine_get',
  method: 'GET',
  path: '/api/v1/admin/maas-sites/{site_id}/machines/{system_id}',
  summary: 'One machine of a MAAS site in its three layers',
  ...reading,
  errors: ['maas_machine_not_found'],
  params: ofMachine,
  response: MaasMachine,
});

export const maasOnboard = defineRoute({
  id: 'maas_onboard',
  method: 'POST',
  path: '/api/v1/admin/maas-sites/{site_id}/onboardings',
  summary: 'Make nodes of machines: commission, deploy with the agent, enrol; what fails is taken back',
  ...writing,
  audit: 'maas_machine.onboard',
  stepUp: recentSignIn,
  errors: [
    'maas_site_not_found',
    'maas_machine_not_found',
    'maas_machine_busy',
    'maas_machine_unsuited',
    'node_already_exists',
    'sku_not_found',
  ],
  status: 202,
  params: ofSite,
  body: Type.Object(
    {
      machines: Type.Array(
        Type.Object(
          {
            system_id: SystemId,
            sku: SkuSlug,
            name: Type.Optional(
              Type.String({ ...NodeName, description: 'The name of the node; its host name when left out.' }),
            ),
          },
          strict,
        ),
        { minItems: 1, maxItems: 50, description: 'All of them or none are taken.' },
      ),
      reason,
    },
    strict,
  ),
  response: Type.Object({ jobs: Type.Array(MaasJob) }, strict),
});

const asked = Type.Object({ reason }, strict);
const orders = ['maas_site_not_found', 'maas_machine_not_found', 'maas_machine_busy', 'maas_machine_unsuited'] as const;

export const maasMachineCommission = defineRoute({
  id: 'maas_machine_commission',
  method: 'POST',
  path: '/api/v1/admin/maas-sites/{site_id}/machines/{system_id}/commission',
  summary: 'Have MAAS look at the hardware of a machine that is no node',
  ...writing,
  audit: 'maas_machine.commission',
  stepUp: oneAtATime,
  errors: orders,
  status: 202,
  params: ofMachine,
  body: asked,
  response: MaasJob,
});

export const maasMachinePower = defineRoute({
  id: 'maas_machine_power',
  method: 'POST',
  path: '/api/v1/admin/maas-sites/{site_id}/machines/{system_id}/power',
  summary: 'Switch the power of a machine on which nothing is rented',
  ...writing,
  audit: 'maas_machine.power',
  stepUp: oneAtATime,
  errors: orders,
  status: 202,
  params: ofMachine,
  body: Type.Object({ power: Type.Enum(['on', 'off']), reason }, strict),
  response: MaasJob,
});

export const maasMachineDecommission = defineRoute({
  id: 'maas_machine_decommission',
  method: 'POST',
  path: '/api/v1/admin/maas-sites/{site_id}/machines/{system_id}/decommission',
  summary:
    'Erase a machine, give it back to MAAS and remove its node, which is retired or quarantined and holds nothing',
  ...writing,
  audit: 'maas_machine.decommission',
  stepUp: recentSignIn,
  errors: orders,
  status: 202,
  params: ofMachine,
  body: asked,
  response: MaasJob,
});

export const maasJobList = defineRoute({
  id: 'maas_job_list',
  method: 'GET',
  path: '/api/v1/admin/maas-jobs',
  summary: 'What was asked of machines of MAAS, latest first',
  ...reading,
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      site_id: Type.Optional(Uuid),
      state: Type.Optional(Type.Enum([...maasJobStates])),
    },
    strict,
  ),
  response: page(MaasJob),
});

export const maasJobGet = defineRoute({
  id: 'maas_job_get',
  method: 'GET',
  path: '/api/v1/admin/maas-jobs/{job_id}',
  summary: 'One job: its step, and why it was taken back',
  ...reading,
  errors: ['maas_job_not_found'],
  params: Type.Object({ job_id: Uuid }, strict),
  response: MaasJob,
});
