import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';

const ops = () => import('../commands/ops.ts');
const nodes = () => import('../commands/ops-node.ts');
const node: ArgSpec = { name: 'NODE', meaning: 'a host, by name or id' };
const slot: ArgSpec = { name: 'SLOT', meaning: 'its number or id' };
const nodeState: FlagSpec = { type: 'string', value: 'STATE', meaning: 'only hosts in this state' };
const region: FlagSpec = { type: 'string', value: 'REGION', meaning: 'where' };
const skuFlag: FlagSpec = { type: 'string', value: 'SKU', meaning: 'of which kind' };
const schedulable: FlagSpec = {
  type: 'string',
  value: 'true|false',
  choices: ['true', 'false'],
  meaning: 'whether new work may go there',
};
const limit: FlagSpec = { type: 'string', value: 'N', meaning: 'the most rows (default: 100)' };
const gpus: FlagSpec = { type: 'string', value: 'N', meaning: 'how many GPUs it has' };
const address: FlagSpec = { type: 'string', value: 'HOST', meaning: 'where tenants reach it' };
const label: FlagSpec = { type: 'string', value: 'KEY=VALUE', many: true, meaning: 'a word of your own' };
const cloudInit: FlagSpec = { type: 'boolean', meaning: 'as user data for a host that is deployed' };
const recover: FlagSpec = { type: 'boolean', meaning: 'it was here before and lost its certificate' };
const reason: FlagSpec = { type: 'string', value: 'TEXT', meaning: 'why, for the record' };
const notice: FlagSpec = { type: 'string', value: 'N', meaning: 'how long tenants have' };

export const fleet: CommandGroup = {
  title: 'Operate: hosts',
  commands: [
    {
      name: 'ops fleet-health',
      summary: 'The whole fleet in numbers',
      examples: ['gpuaas ops fleet-health'],
      reads: true,
      load: async () => (await ops()).fleetHealth,
    },
    {
      name: 'ops node list',
      summary: 'Hosts',
      flags: { state: nodeState, region, sku: skuFlag, schedulable, limit },
      examples: ['gpuaas ops node list', 'gpuaas ops node list --state quarantined -o json'],
      reads: true,
      load: async () => (await nodes()).list,
    },
    {
      name: 'ops node get',
      summary: 'One host: its slots, conditions and certificate',
      args: [node],
      examples: ['gpuaas ops node get local-slice-1'],
      reads: true,
      load: async () => (await nodes()).get,
    },
    {
      name: 'ops node create',
      summary: 'Make a place for a host, and the line that enrols it',
      args: [{ name: 'NAME', meaning: 'what to call it' }],
      flags: { sku: skuFlag, region, gpus, address, label, 'cloud-init': cloudInit },
      examples: ['gpuaas ops node create rack-7 --sku h200-sxm-slice --region eu-1 --gpus 8'],
      load: async () => (await nodes()).create,
    },
    {
      name: 'ops node enrol',
      summary: 'Another line that enrols a host, or lets it come back',
      args: [node],
      flags: { recover, 'cloud-init': cloudInit },
      examples: ['gpuaas ops node enrol rack-7', 'gpuaas ops node enrol rack-7 --recover'],
      load: async () => (await nodes()).enrol,
    },
    {
      name: 'ops node publish',
      summary: 'Let work go there for the first time',
      args: [node],
      flags: { reason },
      examples: ['gpuaas ops node publish rack-7'],
      load: async () => (await nodes()).publish,
    },
    {
      name: 'ops node cordon',
      summary: 'Send no new work there',
      args: [node],
      flags: { reason },
      examples: ["gpuaas ops node cordon rack-7 --reason 'fan noise'"],
      load: async () => (await nodes()).cordon,
    },
    {
      name: 'ops node uncordon',
      summary: 'Send new work there again',
      args: [node],
      flags: { reason },
      examples: ['gpuaas ops node uncordon rack-7'],
      load: async () => (await nodes()).uncordon,
    },
    {
      name: 'ops node drain',
      summary: 'Give notice to everything on it, then release it',
      args: [node],
      flags: { reason, 'notice-minutes': notice },
      examples: ["gpuaas ops node drain rack-7 --notice-minutes 60 --reason 'new switch' --yes"],
      load: async () => (await nodes()).drain,
    },
    {
      name: 'ops node resume',
      summary: 'End a drain and take work again',
      args: [node],
      flags: { reason },
      examples: ['gpuaas ops node resume rack-7'],
      load: async () => (await nodes()).resume,
    },
    {
      name: 'ops node quarantine',
      summary: 'Trust nothing that it says',
      args: [node],
      flags: { reason },
      examples: ["gpuaas ops node quarantine rack-7 --reason 'wrong serial' --yes"],
      load: async () => (await nodes()).quarantine,
    },
    {
      name: 'ops node clear',
      summary: 'End a quarantine',
      args: [node],
      flags: { reason },
      examples: ["gpuaas ops node clear rack-7 --reason 'board replaced'"],
      load: async () => (await nodes()).clear,
    },
    {
      name: 'ops node readmit',
      summary: 'Let a host back that was lost',
      args: [node],
      flags: { reason },
      examples: ["gpuaas ops node readmit rack-7 --reason 'power was restored'"],
      load: async () => (await nodes()).readmit,
    },
    {
      name: 'ops node retire',
      summary: 'Take it out of service for good',
      args: [node],
      flags: { reason },
      examples: ["gpuaas ops node retire rack-7 --reason 'end of lease' --yes"],
      load: async () => (await nodes()).retire,
    },
    {
      name: 'ops node remove',
      summary: 'Forget a retired host',
      args: [node],
      flags: { reason },
      examples: ["gpuaas ops node remove rack-7 --reason 'sold' --yes"],
      load: async () => (await nodes()).remove,
    },
    {
      name: 'ops node tasks',
      summary: 'What it was asked to do',
      args: [node],
      flags: { limit },
      examples: ['gpuaas ops node tasks rack-7'],
      reads: true,
      load: async () => (await nodes()).tasks,
    },
    {
      name: 'ops slots list',
      summary: 'The GPUs of a host',
      args: [node],
      flags: { limit },
      examples: ['gpuaas ops slots list rack-7'],
      reads: true,
      load: async () => (await nodes()).slots,
    },
    {
      name: 'ops slots approve',
      summary: 'Make slots of what the host discovered',
      args: [node],
      flags: { limit },
      examples: ['gpuaas ops slots approve rack-7'],
      load: async () => (await nodes()).approve,
    },
    {
      name: 'ops slots enable',
      summary: 'Let a slot be handed out',
      args: [node, slot],
      flags: { reason },
      examples: ["gpuaas ops slots enable rack-7 3 --reason 'checked by hand'"],
      load: async () => (await nodes()).slotEnable,
    },
    {
      name: 'ops slots disable',
      summary: 'Hand a slot out no more',
      args: [node, slot],
      flags: { reason },
      examples: ["gpuaas ops slots disable rack-7 3 --reason 'checked by hand'"],
      load: async () => (await nodes()).slotDisable,
    },
    {
      name: 'ops slots quarantine',
      summary: 'Keep a slot from everybody',
      args: [node, slot],
      flags: { reason },
      examples: ["gpuaas ops slots quarantine rack-7 3 --reason 'checked by hand'"],
      load: async () => (await nodes()).slotQuarantine,
    },
    {
      name: 'ops slots clear',
      summary: 'End the quarantine of a slot',
      args: [node, slot],
      flags: { reason },
      examples: ["gpuaas ops slots clear rack-7 3 --reason 'checked by hand'"],
      load: async () => (await nodes()).slotClear,
    },
  ],
};
