import type { ArgSpec, CommandGroup } from '../command.ts';
import { limit } from './words.ts';

const someId = '01935a2c-0000-7000-8000-000000000001';
const instance: ArgSpec = { name: 'INSTANCE', meaning: 'the id of an app instance', field: 'app_instance_id' };
const columns = [
  ...['id', 'name', 'app_reference', 'app_version', 'state', 'simulated', 'phase', 'allocation_id', 'failure_reason'],
];

export const appInstances: CommandGroup = {
  title: 'App instances',
  commands: [
    {
      name: 'app launch',
      summary: 'Launch an app, on an allocation that you have or together with a new one',
      description:
        'With --on it runs on that allocation, which has to be a whole node. With --sku a new allocation comes with it: its price is shown and confirmed, and both are released together. Parameters of the app are given as --set name=value.',
      args: [{ name: 'APP', meaning: 'publisher/slug of the app, with @version for one version' }],
      flags: {
        on: { type: 'string', value: 'ALLOCATION', meaning: 'the allocation to run on: its name, its id or @last' },
        sku: { type: 'string', value: 'SKU', meaning: 'the SKU of a new allocation' },
        region: {
          type: 'string',
          value: 'REGION',
          meaning: 'with --sku: where; the region with the most free capacity when left out',
        },
        gpus: {
          type: 'string',
          value: 'COUNT',
          meaning: 'with --sku: how many GPUs; the least that the SKU allows when left out',
        },
        name: { type: 'string', value: 'NAME', meaning: 'the name of the instance' },
        set: { type: 'string', value: 'NAME=VALUE', many: true, meaning: 'a parameter of the app' },
      },
      examples: ['gpuaas app launch demo/notebook --on trainer --set theme=dark'],
      load: async () => (await import('../commands/app.ts')).launch,
    },
    {
      name: 'app test',
      summary: 'Test a published version: launch, open, upgrade, stop, start and release it, and print a checklist',
      description:
        'It launches the version of the manifest in your project, calls each endpoint at its address, checks that its use is counted, moves it to the same version and back, stops, starts and releases it. Without --on and --sku it takes the first whole node that is free, after its price was confirmed. The exit code is 0 when nothing failed.',
      args: [{ name: 'FILE', optional: true, meaning: 'the manifest, in YAML or JSON (default: app.yaml)' }],
      flags: {
        on: { type: 'string', value: 'ALLOCATION', meaning: 'the allocation to run on: its name, its id or @last' },
        sku: { type: 'string', value: 'SKU', meaning: 'the SKU of a new allocation' },
        region: { type: 'string', value: 'REGION', meaning: 'with a new allocation: where' },
        gpus: { type: 'string', value: 'COUNT', meaning: 'with a new allocation: how many GPUs' },
        image: { type: 'string', value: 'IMAGE', meaning: 'instead of runtime.image: registry/repository@sha256:…' },
        set: { type: 'string', value: 'NAME=VALUE', many: true, meaning: 'a parameter of the app' },
        timeout: { type: 'string', value: 'TIME', meaning: 'how long one step may take (default: 20m)' },
      },
      examples: ['gpuaas app test', 'gpuaas app test model.yaml --on trainer --set model=small'],
      load: async () => (await import('../apps/conformance/run.ts')).test,
    },
    {
      name: 'app instances',
      summary: 'The app instances of the project',
      flags: {
        state: { type: 'string', value: 'STATE', meaning: 'only in this state' },
        allocation: { type: 'string', value: 'ALLOCATION', as: 'allocation', meaning: 'only on this allocation' },
        limit,
      },
      examples: ['gpuaas app instances --state running'],
      operation: 'app_instance_list',
      columns,
      none: 'No app runs here. Launch one with gpuaas app launch.',
      reads: true,
    },
    {
      name: 'app get',
      summary: 'One app instance, with its addresses',
      args: [instance],
      examples: [`gpuaas app get ${someId}`],
      operation: 'app_instance_get',
      reads: true,
    },
    {
      name: 'app open',
      summary: 'Open an app instance in the browser, or print its address',
      args: [instance],
      flags: { print: { type: 'boolean', meaning: 'only print the address' } },
      examples: [`gpuaas app open ${someId}`],
      load: async () => (await import('../commands/app.ts')).open,
    },
    {
      name: 'app logs',
      summary: 'The last lines that an app instance has printed',
      args: [instance],
      flags: {
        tail: {
          ...{ type: 'string', value: 'LINES', as: 'number', field: 'tail_lines' },
          meaning: 'how many lines; 200 when left out',
        },
      },
      examples: [`gpuaas app logs ${someId} --tail 50`],
      operation: 'app_instance_logs_request',
      load: async () => (await import('../commands/app.ts')).logs,
    },
    {
      name: 'app timeline',
      summary: 'What happened to an app instance',
      args: [instance],
      flags: { limit },
      examples: [`gpuaas app timeline ${someId}`],
      operation: 'app_instance_timeline',
      columns: ['at', 'name', 'from_state', 'to_state', 'detail'],
      reads: true,
    },
    {
      name: 'app use',
      summary: 'What an app instance was used for, by hour: requests, bytes, units and their cost',
      args: [instance],
      flags: { limit },
      examples: [`gpuaas app use ${someId}`],
      operation: 'app_instance_use',
      columns: ['hour', 'endpoint', 'app_version', 'requests', 'failures', 'bytes_in', 'bytes_out', 'units', 'cost'],
      none: 'No use was reported yet. The app-proxy reports it each minute.',
      reads: true,
    },
    {
      name: 'app uses',
      summary: 'What the apps of the project were used for, by app: requests, bytes, units and their cost',
      flags: {
        days: { type: 'string', value: 'DAYS', as: 'number', meaning: 'of how many days; 30 when left out' },
        limit,
      },
      examples: ['gpuaas app uses --days 7'],
      operation: 'app_use_list',
      columns: [
        'app_reference',
        'instances',
        'requests',
        'failures',
        'bytes_in',
        'bytes_out',
        'units',
        'cost',
        'last_used_at',
      ],
      none: 'No app of this project was used.',
      reads: true,
    },
    {
      name: 'app stop',
      summary: 'Stop an app instance; its volumes and its allocation stay',
      args: [instance],
      examples: [`gpuaas app stop ${someId}`],
      operation: 'app_instance_stop',
      columns,
    },
    {
      name: 'app start',
      summary: 'Start an app instance again',
      args: [instance],
      examples: [`gpuaas app start ${someId}`],
      operation: 'app_instance_start',
      columns,
    },
    {
      name: 'app upgrade',
      summary: 'Move an app instance to another version of its app',
      description:
        'Its volumes and addresses stay. If the new version does not become ready within its time, the old one comes back. With --set and the version that it has, it only gets other parameters.',
      args: [instance, { name: 'VERSION', meaning: 'the number of the version, such as 1.2.3' }],
      flags: { set: { type: 'string', value: 'NAME=VALUE', many: true, meaning: 'a parameter that changes' } },
      examples: [`gpuaas app upgrade ${someId} 1.2.3`],
      load: async () => (await import('../commands/app.ts')).upgrade,
    },
    {
      name: 'app rollback',
      summary: 'Move an app instance back to its previous version, with the parameters that it had then',
      args: [instance],
      examples: [`gpuaas app rollback ${someId}`],
      operation: 'app_instance_rollback',
      columns,
    },
    {
      name: 'app release',
      summary: 'End an app instance with its volumes, and its allocation where both were launched together',
      args: [instance],
      examples: [`gpuaas app release ${someId}`],
      operation: 'app_instance_release',
      columns,
      asks: 'End app instance {} with its volumes, and with its allocation if both were launched together?',
    },
  ],
};
