import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../../command.ts';
import { because, limit, oneOf, region } from '../words.ts';

const someId = '01a1dea2-0000-7000-8000-000000000000';
const commands = () => import('../../commands/ops/maas.ts');
const site: ArgSpec = { name: 'SITE', meaning: 'its id, as gpuaas ops maas site list shows it', field: 'site_id' };
const machine: ArgSpec = { name: 'MACHINE', meaning: 'the id that MAAS gave it', field: 'system_id' };
const job: ArgSpec = { name: 'JOB', meaning: 'as gpuaas ops maas job list shows it', field: 'job_id' };
const text = (value: string, meaning: string): FlagSpec => ({ type: 'string', value, meaning });
const keyFile: FlagSpec = text('FILE', 'a file with the API key of MAAS; - is standard input');
const caFile: FlagSpec = text('FILE', 'the authority of its certificate, where it is no public one');
const settings = {
  'ca-file': caFile,
  pool: text('POOL', 'only machines of this resource pool'),
  osystem: text('NAME', 'the operating system to deploy (default: ubuntu)'),
  series: text('NAME', 'its release (default: noble)'),
  erase: oneOf('HOW', choices.maas_site_create.erase, 'how disks are erased (default: full)'),
  'max-parallel': { ...text('N', 'machines that are worked on at once (default: 4)'), as: 'number' } as FlagSpec,
};
const siteColumns = ['id', 'name', 'region', 'url', 'machines', 'nodes', 'release', 'seen_at', 'problem'];
const machineColumns = [
  'system_id',
  'hostname',
  'maas.status',
  'maas.power',
  'node.name',
  'node.state',
  'job.kind',
  'drift',
];
const jobColumns = ['id', 'kind', 'hostname', 'state', 'phase', 'node_name', 'problem', 'created_at', 'ended_at'];

/** Machines of bare metal that MAAS looks after. */
export const maas: CommandGroup['commands'] = [
  {
    name: 'ops maas site list',
    summary: 'MAAS sites, and whether they answer',
    flags: { limit },
    examples: ['gpuaas ops maas site list'],
    operation: 'maas_site_list',
    columns: siteColumns,
    none: 'There are no MAAS sites. gpuaas ops maas site add adds one.',
    reads: true,
  },
  {
    name: 'ops maas site get',
    summary: 'One MAAS site',
    args: [site],
    examples: [`gpuaas ops maas site get ${someId}`],
    operation: 'maas_site_get',
    columns: [...siteColumns, 'erase', 'osystem', 'series', 'pool', 'max_parallel', 'username', 'failing_since'],
    reads: true,
  },
  {
    name: 'ops maas site add',
    summary: 'Add a MAAS site; its key is read from a file and kept sealed',
    args: [{ name: 'NAME', meaning: 'the name', field: 'name' }],
    flags: {
      url: { ...text('URL', 'where MAAS is, up to /MAAS'), needed: true },
      region: { ...region, needed: true },
      'key-file': { ...keyFile, needed: true },
      ...settings,
    },
    examples: [
      'gpuaas ops maas site add hall-1 --region eu-1 --url https://maas.example:5443/MAAS --key-file maas.key',
    ],
    load: async () => (await commands()).addSite,
  },
  {
    name: 'ops maas site update',
    summary: 'Change the address, the key or the settings of a MAAS site',
    args: [site],
    flags: { url: text('URL', 'where MAAS is, up to /MAAS'), 'key-file': keyFile, ...settings },
    examples: [`gpuaas ops maas site update ${someId} --key-file new.key`],
    operation: 'maas_site_update',
    load: async () => (await commands()).updateSite,
  },
  {
    name: 'ops maas site remove',
    summary: 'Forget a MAAS site of which no machine is a node',
    args: [site],
    flags: { reason: because },
    examples: [`gpuaas ops maas site remove ${someId} --reason 'the hall is closed' --yes`],
    operation: 'maas_site_remove',
    columns: siteColumns,
    asks: 'Forget {}?',
  },
  {
    name: 'ops maas machine list',
    summary: 'Machines of a site: what MAAS says, what the node is, and where they contradict each other',
    args: [site],
    flags: { limit },
    examples: [`gpuaas ops maas machine list ${someId}`],
    operation: 'maas_machine_list',
    columns: machineColumns,
    none: 'MAAS lists no machines there.',
    reads: true,
  },
  {
    name: 'ops maas machine get',
    summary: 'One machine in its three layers',
    args: [site, machine],
    examples: [`gpuaas ops maas machine get ${someId} 4y3h7n`],
    operation: 'maas_machine_get',
    columns: [...machineColumns, 'allocations', 'architecture', 'cpus', 'memory_mib', 'tags'],
    reads: true,
  },
  {
    name: 'ops maas onboard',
    summary: 'Make nodes of machines, all of them or none: commission, deploy with the agent, enrol',
    args: [site, { name: 'MACHINE', meaning: 'the ids that MAAS gave them', rest: true }],
    flags: {
      sku: { ...text('SKU', 'what they are sold as'), needed: true },
      name: text('NAME', 'the name of the node, for one machine (default: its host name)'),
      reason: because,
    },
    examples: [`gpuaas ops maas onboard ${someId} 4y3h7n 8xk2mm --sku h200-sxm-slice --reason 'rack 7'`],
    load: async () => (await commands()).onboard,
  },
  {
    name: 'ops maas commission',
    summary: 'Have MAAS look at the hardware of a machine that is no node',
    args: [site, machine],
    flags: { reason: because },
    examples: [`gpuaas ops maas commission ${someId} 4y3h7n --reason 'new memory'`],
    operation: 'maas_machine_commission',
    columns: jobColumns,
  },
  {
    name: 'ops maas power',
    summary: 'Switch the power of a machine on which nothing is rented',
    args: [site, machine],
    flags: {
      power: { ...oneOf('on|off', choices.maas_machine_power.power, 'on or off'), needed: true },
      reason: because,
    },
    examples: [`gpuaas ops maas power ${someId} 4y3h7n --power off --reason 'work on the rack'`],
    operation: 'maas_machine_power',
    columns: jobColumns,
  },
  {
    name: 'ops maas decommission',
    summary: 'Erase a machine, give it back to MAAS and remove its node; its data is lost',
    args: [site, machine],
    flags: { reason: because },
    examples: [`gpuaas ops maas decommission ${someId} 4y3h7n --reason 'end of lease' --yes`],
    operation: 'maas_machine_decommission',
    columns: jobColumns,
    asks: 'Erase {} and give it back? Its data is lost.',
  },
  {
    name: 'ops maas job list',
    summary: 'What was asked of machines, latest first',
    flags: {
      state: oneOf('STATE', choices.maas_job_list.state, 'only jobs in this state'),
      site: { ...text('SITE', 'only of this site'), field: 'site_id' },
      limit,
    },
    examples: ['gpuaas ops maas job list', 'gpuaas ops maas job list --state failed'],
    operation: 'maas_job_list',
    columns: jobColumns,
    none: 'Nothing was asked of machines.',
    reads: true,
  },
  {
    name: 'ops maas job get',
    summary: 'One job: its step, and why it was taken back',
    args: [job],
    examples: [`gpuaas ops maas job get ${someId}`],
    operation: 'maas_job_get',
    columns: [...jobColumns, 'reason', 'node_id', 'system_id'],
    reads: true,
  },
];
