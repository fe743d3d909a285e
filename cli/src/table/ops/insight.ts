import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../../command.ts';
import { because, limit, oneOf } from '../words.ts';
import { onCall } from './runbooks.ts';

const correlation: ArgSpec = {
  name: 'ID',
  meaning: 'a correlation id: every failure, event and audit row has one',
  field: 'correlation_id',
};
const about: FlagSpec = { type: 'string', value: 'ID', meaning: 'only about this object' };
const momentColumns = ['at', 'source', 'name', 'state', 'subject_type', 'subject_id', 'took_ms', 'actor'];

const workflowColumns = ['workflow', 'run_id', 'state', 'step', 'reason', 'began_at', 'ended_at', 'correlation_id'];
const workflowDetails = [...workflowColumns, 'doing', 'until', 'actions', 'orders', 'attempts', 'plan'];
const workflowArgs: readonly ArgSpec[] = [
  { name: 'WORKFLOW', meaning: 'the workflow, as the list shows it', field: 'workflow' },
  { name: 'RUN', meaning: 'its id', field: 'run_id' },
];
const someRun = 'allocation.provision 01a1dea2-0000-7000-8000-000000000000';

/** Traces, workflows and health: the commands of an operator on call. */
export const insight: CommandGroup = {
  title: 'Operate: events and health',
  commands: [
    {
      name: 'trace',
      summary: 'Everything that one request caused in the project, in time order',
      args: [correlation],
      flags: { limit },
      examples: ['gpuaas trace req-7', 'gpuaas trace req-7 -o json'],
      operation: 'correlation_get',
      rows: 'moments',
      columns: momentColumns,
      none: 'Nothing was found for this id.',
      reads: true,
    },
    {
      name: 'ops trace',
      summary: 'Everything that one request caused anywhere: api, outbox, workflows, hosts',
      args: [correlation],
      flags: { limit },
      examples: ['gpuaas ops trace req-7'],
      operation: 'admin_correlation_get',
      rows: 'moments',
      columns: momentColumns,
      none: 'Nothing was found for this id.',
      reads: true,
    },
    {
      name: 'ops workflow list',
      summary: 'Workflow runs',
      flags: {
        state: oneOf('STATE', choices.workflow_list.state, 'only those in this state'),
        workflow: { type: 'string', value: 'WORKFLOW', meaning: 'only of this workflow: allocation.provision' },
        'run-id': { type: 'string', value: 'ID', meaning: 'only this run' },
        before: { type: 'string', value: 'TIME', meaning: 'only runs that began before this time' },
        limit,
      },
      examples: ['gpuaas ops workflow list --state stuck', 'gpuaas ops workflow list --watch'],
      operation: 'workflow_list',
      columns: workflowColumns,
      none: 'No runs match.',
      reads: true,
    },
    {
      name: 'ops workflow get',
      summary: 'One run: its steps, its attempts, and its rollback',
      args: workflowArgs,
      examples: [`gpuaas ops workflow get ${someRun} -o json`],
      operation: 'workflow_get',
      columns: workflowDetails,
      reads: true,
    },
    {
      name: 'ops workflow retry',
      summary: 'Retry the paused step now; for a stuck run, retry the failed rollback',
      args: workflowArgs,
      flags: { reason: because },
      examples: [`gpuaas ops workflow retry ${someRun} --reason 'the node is back' --yes`],
      operation: 'workflow_retry',
      columns: workflowDetails,
      asks: 'Retry {} {1} now?',
    },
    {
      name: 'ops workflow cancel',
      summary: 'Cancel a run: it stops between two steps and rolls back',
      args: workflowArgs,
      flags: { reason: because },
      examples: [`gpuaas ops workflow cancel ${someRun} --reason 'the rack is being moved' --yes`],
      operation: 'workflow_cancel',
      columns: workflowDetails,
      asks: 'Cancel {} {1} and roll it back?',
    },
    {
      name: 'ops health',
      summary: 'The health of the platform, and what needs attention',
      flags: { limit },
      examples: ['gpuaas ops health', 'gpuaas ops health --watch'],
      operation: 'platform_health_get',
      rows: 'findings',
      columns: ['section', 'name', 'status', 'value', 'unit', 'message'],
      none: 'Nothing needs attention.',
      reads: true,
    },
    ...onCall,
    {
      name: 'ops events list',
      summary: 'Kept events, newest first',
      flags: {
        type: { type: 'string', value: 'TYPE', meaning: 'only of this type' },
        about,
        organization: { type: 'string', value: 'ID', field: 'organization_id', meaning: 'only of this organization' },
        limit,
      },
      examples: ['gpuaas ops events list --type allocation.active', 'gpuaas ops events list --about rack-7'],
      operation: 'admin_event_list',
      columns: ['created_at', 'event_type', 'key', 'is_published', 'correlation_id', 'event_id'],
      none: 'No events match.',
      reads: true,
    },
    {
      name: 'ops events tail',
      summary: 'Watch the events of all tenants live',
      flags: {
        types: { type: 'string', value: 'TYPE,…', meaning: 'only these types' },
        about,
        after: { type: 'string', value: 'POSITION', meaning: 'from this event on' },
        'no-follow': { type: 'boolean', meaning: 'only existing events' },
      },
      examples: ['gpuaas ops events tail', 'gpuaas ops events tail --types node.lost -o ndjson'],
      operation: 'admin_event_stream',
      reads: true,
      load: async () => (await import('../../commands/events.ts')).tailAll,
    },
    {
      name: 'ops org list',
      summary: 'All organizations, with their usage',
      args: [{ name: 'WORDS', optional: true, meaning: 'only if name or slug contains this', field: 'q' }],
      flags: { limit },
      examples: ['gpuaas ops org list', 'gpuaas ops org list lab'],
      operation: 'admin_organization_list',
      columns: [
        'id',
        'slug',
        'name',
        'owner_name',
        'type',
        'plan',
        'members',
        'projects',
        'allocations',
        'gpus',
        'created_at',
      ],
      none: 'No organizations match.',
      reads: true,
    },
    {
      name: 'ops org get',
      summary: 'One organization: projects, members and policies',
      args: [{ name: 'ID', meaning: 'the id of an organization', field: 'organization_id' }],
      examples: ['gpuaas ops org get 01a1dea2-0000-7000-8000-000000000000'],
      operation: 'admin_organization_get',
      columns: [
        'id',
        'slug',
        'name',
        'owner_name',
        'type',
        'plan',
        'currency',
        'members',
        'projects',
        'allocations',
        'gpus',
      ],
      reads: true,
    },
  ],
};
