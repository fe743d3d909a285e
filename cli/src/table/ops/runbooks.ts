import type { CommandSpec } from '../../command.ts';
import { limit } from '../words.ts';

/** What an operator on call types first: what is wrong, and which page says what to do. */
export const onCall: readonly CommandSpec[] = [
  {
    name: 'ops doctor',
    summary: 'What is wrong with the platform, and the runbook for each finding',
    description:
      'Reads the health of the platform, clocks, versions, certificates, queues, history, drift and workflows. The exit code is 1 when something is bad, with --strict also when something is to be watched.',
    flags: {
      all: { type: 'boolean', meaning: 'also what is in order' },
      strict: { type: 'boolean', meaning: 'a warning is a failure too' },
    },
    examples: ['gpuaas ops doctor', 'gpuaas ops doctor --strict -o json'],
    reads: true,
    load: async () => (await import('../../commands/ops/doctor.ts')).doctor,
  },
  {
    name: 'ops runbook list',
    summary: 'The runbooks, or those that a signal leads to',
    args: [{ name: 'WORDS', optional: true, meaning: 'part of a title, of a signal, or of what it means', field: 'q' }],
    flags: {
      signal: { type: 'string', value: 'SIGNAL', meaning: 'an alert, or a finding of gpuaas ops health' },
      category: { type: 'string', value: 'CATEGORY', meaning: 'only of this category' },
      limit,
    },
    examples: [
      'gpuaas ops runbook list',
      'gpuaas ops runbook list --signal NodeLost',
      'gpuaas ops runbook list billing',
    ],
    operation: 'runbook_list',
    columns: ['id', 'category', 'severity', 'owner', 'summary'],
    none: 'No runbook matches.',
    reads: true,
  },
  {
    name: 'ops runbook show',
    summary: 'One runbook, to read in the terminal',
    args: [
      {
        name: 'SIGNAL',
        meaning: 'an alert, a finding of gpuaas ops health, or the id of a runbook',
        field: 'runbook_id',
      },
    ],
    examples: ['gpuaas ops runbook show NodeLost', 'gpuaas ops runbook show outbox_age'],
    operation: 'runbook_get',
    reads: true,
    load: async () => (await import('../../commands/ops/runbook.ts')).show,
  },
];
