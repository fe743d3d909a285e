import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';

const ops = () => import('../commands/ops.ts');
const allocation: ArgSpec = { name: 'ID', meaning: 'an allocation' };
const sku: ArgSpec = { name: 'SKU', meaning: 'as gpuaas ops sku list shows it' };
const key: ArgSpec = { name: 'KEY', meaning: 'the name of a policy' };
const limit: FlagSpec = { type: 'string', value: 'N', meaning: 'the most rows (default: 100)' };
const price: FlagSpec = {
  type: 'string',
  value: 'AMOUNT',
  meaning: 'minor units and a currency: 310 EUR is 3.10 euros',
};
const region: FlagSpec = { type: 'string', value: 'REGION', meaning: 'where' };
const from: FlagSpec = { type: 'string', value: 'TIME', meaning: 'from this moment on, as 2026-11-01T00:00:00Z' };
const reason: FlagSpec = { type: 'string', value: 'TEXT', meaning: 'why, for the record' };
const allocationState: FlagSpec = { type: 'string', value: 'STATE', meaning: 'only those in this state' };
const nodeFlag: FlagSpec = { type: 'string', value: 'ID', meaning: 'only on this host' };
const organization: FlagSpec = { type: 'string', value: 'ORGANIZATION', meaning: 'of this organization' };
const skuFlag: FlagSpec = { type: 'string', value: 'SKU', meaning: 'of which kind' };
const absent: FlagSpec = { type: 'boolean', meaning: 'somebody looked: nothing of it runs any more' };
const letterState: FlagSpec = {
  type: 'string',
  value: 'STATE',
  choices: ['open', 'requeued', 'discarded'],
  meaning: 'only those in this state',
};
const subjectPrefix: FlagSpec = { type: 'string', value: 'PREFIX', meaning: 'only subjects that begin so' };
const settings: FlagSpec = { type: 'boolean', meaning: 'every setting of the platform instead' };
const level: FlagSpec = {
  type: 'string',
  value: 'LEVEL',
  choices: ['user', 'project', 'organization', 'plan', 'global'],
  meaning: 'where to set it (default: global)',
};
const subject: FlagSpec = { type: 'string', value: 'ID', meaning: 'whose: the user, project or organization' };
const hard: FlagSpec = { type: 'boolean', meaning: 'above everything else' };
const action: FlagSpec = { type: 'string', value: 'ACTION', meaning: 'what was done: node.drain' };
const actor: FlagSpec = { type: 'string', value: 'ID', meaning: 'by whom' };
const correlation: FlagSpec = { type: 'string', value: 'ID', meaning: 'in which request' };
const targetId: FlagSpec = { type: 'string', value: 'ID', meaning: 'to what' };
const targetType: FlagSpec = { type: 'string', value: 'TYPE', meaning: 'to what kind of thing' };
const result: FlagSpec = { type: 'string', value: 'RESULT', choices: ['success', 'failure'], meaning: 'how it went' };
const until: FlagSpec = { type: 'string', value: 'TIME', meaning: 'until this moment' };
const format: FlagSpec = {
  type: 'string',
  value: 'FORMAT',
  choices: ['ndjson', 'csv'],
  meaning: 'of the file (default: ndjson)',
};

export const platform: CommandGroup = {
  title: 'Operate: platform',
  commands: [
    {
      name: 'ops sku list',
      summary: 'Every SKU, also those that are not offered',
      flags: { limit },
      examples: ['gpuaas ops sku list'],
      reads: true,
      load: async () => (await ops()).skuList,
    },
    {
      name: 'ops sku get',
      summary: 'One SKU as operators see it',
      args: [sku],
      examples: ['gpuaas ops sku get h200-sxm-slice'],
      reads: true,
      load: async () => (await ops()).skuGet,
    },
    {
      name: 'ops sku prices',
      summary: 'Past, current and future prices',
      args: [sku],
      flags: { limit },
      examples: ['gpuaas ops sku prices h200-sxm-slice'],
      reads: true,
      load: async () => (await ops()).skuPrices,
    },
    {
      name: 'ops sku price-add',
      summary: 'A new price, from now or from a day on',
      args: [sku],
      flags: { price, region, from, reason },
      examples: ["gpuaas ops sku price-add h200-sxm-slice --price '310 EUR' --reason 'new season'"],
      load: async () => (await ops()).skuPriceAdd,
    },
    {
      name: 'ops sku retire',
      summary: 'Offer it no more',
      args: [sku],
      flags: { reason },
      examples: ["gpuaas ops sku retire cs-3 --reason 'no hosts left'"],
      load: async () => (await ops()).skuRetire,
    },
    {
      name: 'ops allocations',
      summary: 'Allocations of everybody',
      flags: { state: allocationState, node: nodeFlag, organization, limit },
      examples: ['gpuaas ops allocations --state provisioning'],
      reads: true,
      load: async () => (await ops()).allocations,
    },
    {
      name: 'ops queue',
      summary: 'Who waits for what',
      flags: { sku: skuFlag, region, limit },
      examples: ['gpuaas ops queue'],
      reads: true,
      load: async () => (await ops()).queue,
    },
    {
      name: 'ops stuck',
      summary: 'What takes longer than it should',
      flags: { limit },
      examples: ['gpuaas ops stuck'],
      reads: true,
      load: async () => (await ops()).stuck,
    },
    {
      name: 'ops placement',
      summary: 'The whole decision, with every host that it named',
      args: [allocation],
      examples: ['gpuaas ops placement 01a1dea2-0000-7000-8000-000000000000 -o json'],
      reads: true,
      load: async () => (await ops()).placement,
    },
    {
      name: 'ops force-release',
      summary: 'Release something that does not go by itself',
      args: [allocation],
      flags: { reason },
      examples: ["gpuaas ops force-release 01a1dea2-0000-7000-8000-000000000000 --reason 'owner left' --yes"],
      load: async () => (await ops()).forceRelease,
    },
    {
      name: 'ops force-cleanup',
      summary: 'Free the slots of something that is known to be gone',
      args: [allocation],
      flags: { reason, 'runtime-verified-absent': absent },
      examples: [
        "gpuaas ops force-cleanup 01a1dea2-0000-7000-8000-000000000000 --runtime-verified-absent --reason 'host was reinstalled' --yes",
      ],
      load: async () => (await ops()).forceCleanup,
    },
    {
      name: 'ops dlq list',
      summary: 'Messages that could not be handled',
      flags: { state: letterState, subject: subjectPrefix, limit },
      examples: ['gpuaas ops dlq list --state open'],
      reads: true,
      load: async () => (await ops()).dlqList,
    },
    {
      name: 'ops dlq requeue',
      summary: 'Send one again',
      args: [{ name: 'SEQ', meaning: 'its number, as the list shows it' }],
      flags: { reason },
      examples: ["gpuaas ops dlq requeue 17 --reason 'the consumer was mended'"],
      load: async () => (await ops()).dlqRequeue,
    },
    {
      name: 'ops dlq discard',
      summary: 'Give one up for good',
      args: [{ name: 'SEQ', meaning: 'its number, as the list shows it' }],
      flags: { reason },
      examples: ["gpuaas ops dlq discard 17 --reason 'a test event' --yes"],
      load: async () => (await ops()).dlqDiscard,
    },
    {
      name: 'ops outbox list',
      summary: 'Events that could not be published',
      flags: { state: letterState, limit },
      examples: ['gpuaas ops outbox list'],
      reads: true,
      load: async () => (await ops()).outboxList,
    },
    {
      name: 'ops outbox requeue',
      summary: 'Publish one again',
      args: [{ name: 'EVENT', meaning: 'the id of an event' }],
      flags: { reason },
      examples: ["gpuaas ops outbox requeue 01a1dea2-0000-7000-8000-000000000000 --reason 'the bus is back'"],
      load: async () => (await ops()).outboxRequeue,
    },
    {
      name: 'ops outbox discard',
      summary: 'Give one up for good',
      args: [{ name: 'EVENT', meaning: 'the id of an event' }],
      flags: { reason },
      examples: ["gpuaas ops outbox discard 01a1dea2-0000-7000-8000-000000000000 --reason 'a test event' --yes"],
      load: async () => (await ops()).outboxDiscard,
    },
    {
      name: 'ops policy list',
      summary: 'What holds in the project and where it comes from',
      flags: { settings, limit },
      examples: ['gpuaas ops policy list -p vision', 'gpuaas ops policy list --settings'],
      reads: true,
      load: async () => (await ops()).policyList,
    },
    {
      name: 'ops policy set',
      summary: 'Set a limit at a level',
      args: [key, { name: 'VALUE', meaning: 'a number, true, false, or one of its choices' }],
      flags: { level, subject, hard, reason },
      examples: [
        "gpuaas ops policy set allocations.max_active 8 --level project --subject 01a1dea2-0000-7000-8000-000000000000 --reason 'a bigger team'",
      ],
      load: async () => (await ops()).policySet,
    },
    {
      name: 'ops policy unset',
      summary: 'Let the level above decide again',
      args: [key],
      flags: { level, subject, reason },
      examples: [
        "gpuaas ops policy unset allocations.max_active --level project --subject 01a1dea2-0000-7000-8000-000000000000 --reason 'the project is over'",
      ],
      load: async () => (await ops()).policyUnset,
    },
    {
      name: 'ops audit search',
      summary: 'Who did what',
      flags: {
        action,
        'actor-id': actor,
        'correlation-id': correlation,
        'target-id': targetId,
        'target-type': targetType,
        result,
        from,
        until,
        organization,
        limit,
      },
      examples: [
        'gpuaas ops audit search --action node.drain',
        'gpuaas ops audit search --correlation-id req-7 -o json',
      ],
      reads: true,
      load: async () => (await ops()).auditSearch,
    },
    {
      name: 'ops audit verify',
      summary: 'Check that nobody changed the record',
      flags: { organization },
      examples: ['gpuaas ops audit verify', 'gpuaas ops audit verify --organization lab'],
      reads: true,
      load: async () => (await ops()).auditVerify,
    },
    {
      name: 'ops audit export',
      summary: 'The record of an organization as a file',
      flags: {
        action,
        'actor-id': actor,
        'correlation-id': correlation,
        'target-id': targetId,
        'target-type': targetType,
        result,
        from,
        until,
        organization,
        format,
      },
      examples: ['gpuaas ops audit export --organization lab --format csv > audit.csv'],
      reads: true,
      load: async () => (await ops()).auditExport,
    },
  ],
};
