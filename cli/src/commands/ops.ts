import { confirm } from '../ask.ts';
import type { Run } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { listing, needed, oneOf, showing } from '../listing.ts';
import { resolveOrganization } from '../resolve.ts';
import { showOne } from '../show/output.ts';

const why = (session: Parameters<Run>[0]) => ({ reason: needed(session, 'reason') });

export const fleetHealth = showing(
  (api) => api.adminOps.fleetHealth(),
  [
    'nodes',
    'schedulable_nodes',
    'silent_nodes',
    'lost_nodes',
    'slots',
    'queued_allocations',
    'stuck_allocations',
    'open_tasks',
    'oldest_report_at',
  ],
);

const allocationColumns = ['id', 'name', 'state', 'sku', 'gpu_count', 'node_name', 'organization_id', 'updated_at'];
const states = ['requested', 'provisioning', 'active', 'releasing', 'released', 'failed', 'release_failed'] as const;
export const allocations = listing(
  (api, session) =>
    api.adminAllocations.list({
      state: oneOf(session, 'state', states),
      node: session.text('node'),
      organization: session.text('organization'),
    }),
  allocationColumns,
  'There are no allocations.',
);
export const queue = listing(
  (api, session) => api.adminAllocations.queue({ sku: session.text('sku'), region: session.text('region') }),
  ['position', 'allocation_id', 'sku', 'gpu_count', 'region', 'waiting_since', 'deadline_at', 'weight'],
  'Nobody waits.',
);
export const stuck = listing(
  (api) => api.adminAllocations.stuckList(),
  ['allocation_id', 'state', 'phase', 'seconds', 'usual_seconds', 'limit_seconds', 'node_id', 'sku'],
  'Nothing is stuck.',
);
export const placement = showing(
  (api, session) => api.adminAllocations.placement({ allocation_id: session.arg(0) }),
  ['outcome', 'decided_at', 'document'],
);
export const forceRelease = showing(async (api, session) => {
  await confirm(session, `Release ${session.arg(0)} by force?`);
  return api.adminAllocations.forceRelease({ allocation_id: session.arg(0), ...why(session) });
}, allocationColumns);
export const forceCleanup = showing(async (api, session) => {
  if (!session.is('runtime-verified-absent')) {
    throw usageFailure(
      'Only what is known not to run any more may be cleaned up.',
      'Look at the host, then say so with --runtime-verified-absent.',
    );
  }
  await confirm(session, `Clean up after ${session.arg(0)} by force?`);
  return api.adminAllocations.forceCleanup({
    allocation_id: session.arg(0),
    runtime_verified_absent: true,
    ...why(session),
  });
}, allocationColumns);

const letterColumns = [
  'stream_seq',
  'event_id',
  'event_type',
  'origin',
  'consumer',
  'attempts',
  'state',
  'reason',
  'created_at',
];
const letterStates = ['open', 'requeued', 'discarded'] as const;
export const dlqList = listing(
  (api, session) =>
    api.adminOps.dlqList({ state: oneOf(session, 'state', letterStates), subject_prefix: session.text('subject') }),
  letterColumns,
  'No letter is dead.',
);
export const dlqRequeue = showing(
  (api, session) => api.adminOps.dlqRequeue({ stream_seq: session.arg(0), ...why(session) }),
  letterColumns,
);
export const dlqDiscard = showing(async (api, session) => {
  await confirm(session, `Discard ${session.arg(0)}? Nobody will ever act on it.`);
  return api.adminOps.dlqDiscard({ stream_seq: session.arg(0), ...why(session) });
}, letterColumns);
export const outboxList = listing(
  (api, session) => api.adminOps.outboxFailedList({ state: oneOf(session, 'state', letterStates) }),
  letterColumns,
  'Everything was published.',
);
export const outboxRequeue = showing(
  (api, session) => api.adminOps.outboxRequeue({ event_id: session.arg(0), ...why(session) }),
  letterColumns,
);
export const outboxDiscard = showing(async (api, session) => {
  await confirm(session, `Discard ${session.arg(0)}? Nobody will ever hear of it.`);
  return api.adminOps.outboxDiscard({ event_id: session.arg(0), ...why(session) });
}, letterColumns);

export const skuList = listing(
  (api) => api.adminSkus.list(),
  ['sku', 'display_name', 'capacity_shape', 'gpus_total', 'allowed_gpu_counts', 'billing_unit', 'active'],
  'There are no SKUs.',
);
export const skuGet = showing(
  (api, session) => api.adminSkus.get({ sku: session.arg(0) }),
  [
    'sku',
    'display_name',
    'vendor',
    'gpu_model',
    'capacity_shape',
    'gpus_total',
    'allowed_gpu_counts',
    'resource_profile',
    'active',
  ],
);
export const skuPrices = listing(
  (api, session) => api.adminSkus.priceList({ sku: session.arg(0) }),
  ['id', 'region', 'unit_price', 'state', 'effective_from'],
  'It has no price.',
);
/** Money is whole minor units, from the keyboard to the ledger. */
export const skuPriceAdd = showing(
  (api, session) => {
    const [, amount_minor, currency] = /^(\d+) ?([A-Z]{3})$/.exec(needed(session, 'price')) ?? [];
    if (amount_minor === undefined || currency === undefined) {
      throw usageFailure('--price is an amount in minor units and a currency: "310 EUR" is 3.10 euros.');
    }
    return api.adminSkus.priceAdd({
      sku: session.arg(0),
      unit_price: { amount_minor, currency },
      region: session.text('region'),
      effective_from: session.text('from'),
      reason: session.text('reason'),
    });
  },
  ['id', 'sku', 'region', 'unit_price', 'state', 'effective_from'],
);
export const skuRetire = showing(
  (api, session) => api.adminSkus.retire({ sku: session.arg(0), ...why(session) }),
  ['sku', 'display_name', 'active'],
);

const levels = ['user', 'project', 'organization', 'plan', 'global'] as const;
/** What holds, and where it comes from: here for a project, or every setting there is. */
export const policyList = listing(
  async function* (api, session) {
    if (session.is('settings')) {
      const { definitions, settings } = await api.adminPolicies.settingList();
      for (const { key, unit = null, default: value } of definitions) {
        const own = settings.filter((setting) => setting.key === key);
        yield* own.map(({ level, subject_id, hard, ...rest }) => ({
          ...rest,
          unit,
          source: { level, subject_id, hard },
        }));
        if (!own.some(({ level }) => level === 'global')) yield { key, value, unit, source: { level: 'default' } };
      }
      return;
    }
    const { data } = await api.policies.list({ project: await session.project() });
    for (const { definition, ...rest } of data) yield { ...rest, unit: definition.unit ?? null };
  },
  ['key', 'value', 'unit', 'source.level', 'source.subject_id', 'source.hard'],
  'Nothing is set.',
);
const settingColumns = ['key', 'value', 'level', 'subject_id', 'hard', 'reason', 'updated_at'];
export const policySet = showing((api, session) => {
  return api.adminPolicies.set({
    policy_key: session.arg(0),
    value: readValue(session.arg(1)),
    level: oneOf(session, 'level', levels) ?? 'global',
    subject_id: session.text('subject'),
    ...(session.is('hard') && { hard: true }),
    ...why(session),
  });
}, settingColumns);
export const policyUnset = showing(
  (api, session) =>
    api.adminPolicies.unset({
      policy_key: session.arg(0),
      level: oneOf(session, 'level', levels) ?? 'global',
      subject_id: session.text('subject'),
      ...why(session),
    }),
  settingColumns,
);
const readValue = (text: string): number | boolean | string => {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
};

const filters = ['action', 'actor_id', 'correlation_id', 'target_id', 'target_type', 'from', 'until'] as const;
const results = ['success', 'failure'] as const;
const readFilter = (session: Parameters<Run>[0]) => ({
  ...Object.fromEntries(filters.map((name) => [name, session.text(name.replaceAll('_', '-'))])),
  result: oneOf(session, 'result', results),
});
export const auditSearch = listing(
  async function* (api, session) {
    if (session.text('organization') === undefined) yield* api.adminAudit.list(readFilter(session));
    else yield* api.audit.list({ organization_id: await resolveOrganization(session), ...readFilter(session) });
  },
  ['created_at', 'action', 'result', 'actor_kind', 'actor_id', 'target_type', 'target_id', 'correlation_id'],
  'Nothing matches.',
);
/** A chain that does not hold is a failure, for scripts that watch it. */
export const auditVerify: Run = async (session) => {
  const api = await session.api();
  const verdict =
    session.text('organization') === undefined
      ? await api.adminAudit.verify()
      : await api.audit.verify({ organization_id: await resolveOrganization(session) });
  showOne(session, verdict, ['chain', 'intact', 'rows', 'unsealed', 'head', 'broken']);
  return verdict.intact ? exitCodes.ok : exitCodes.conflict;
};
export const auditExport: Run = async (session) => {
  const api = await session.api();
  const format = oneOf(session, 'format', ['ndjson', 'csv'] as const) ?? 'ndjson';
  const organization_id = await resolveOrganization(session);
  session.around.stdout.write(await api.audit.export({ organization_id, format, ...readFilter(session) }));
  return exitCodes.ok;
};
