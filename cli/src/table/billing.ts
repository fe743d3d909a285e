import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { because, limit, oneOf, organization, region, skuArg, version } from './words.ts';

const from: FlagSpec = { type: 'string', value: 'DAY', meaning: 'the first day, in UTC (default: 30 days back)' };
const to: FlagSpec = { type: 'string', value: 'DAY', meaning: 'the last day, in UTC (default: today)' };
const line: ArgSpec = { name: 'LINE', meaning: 'a line of usage, as gpuaas billing ledger shows it', field: 'line_id' };
const account: ArgSpec = { name: 'ORGANIZATION', meaning: 'the id of an organization', field: 'organization_id' };
const payment: ArgSpec = {
  name: 'PAYMENT',
  meaning: 'a payment, as gpuaas billing payments shows it',
  field: 'session_id',
};
const minor: FlagSpec = {
  type: 'string',
  value: 'AMOUNT',
  meaning: 'in minor units: 2500 is 25 dollars',
  needed: true,
};
const currency: FlagSpec = { type: 'string', value: 'CODE', meaning: 'the currency of the account', needed: true };
const period = { from, to };
const usageFilters: Readonly<Record<string, FlagSpec>> = {
  sku: { type: 'string', value: 'SKU', meaning: 'only this SKU' },
  'requested-by': { type: 'string', value: 'ID', meaning: 'only what this person or service account launched' },
  'allocation-id': { type: 'string', value: 'ID', meaning: 'only this allocation' },
};
const out: FlagSpec = { type: 'string', value: 'FILE', meaning: 'write it to this file (default: standard output)' };
const seriesColumns = ['at', 'key', 'name', 'amount', 'quantity_ms'];
const count: FlagSpec = { type: 'string', value: 'N', as: 'number', field: 'gpus', meaning: 'the GPU count' };
const budget: ArgSpec = {
  name: 'BUDGET',
  meaning: 'a budget, as gpuaas billing budgets shows it',
  field: 'budget_id',
};
const soft: FlagSpec = {
  type: 'string',
  value: 'AMOUNT',
  meaning: 'in minor units: reached, it sends an event',
  field: 'soft_minor',
};
const hard: FlagSpec = {
  ...{ type: 'string', value: 'AMOUNT', field: 'hard_minor' },
  meaning: 'in minor units: launches beyond it are refused',
};
const budgetColumns = ['name', 'scope', 'subject_name', 'spent', 'held', 'soft', 'hard', 'state', 'period', 'id'];
const usageColumns = ['key', 'name', 'amount', 'quantity_ms'];
const someId = '01a1dea2-0000-7000-8000-000000000000';

/** Balance and spend of an organization, and the commands of finance. */
export const billing: CommandGroup = {
  title: 'Billing',
  commands: [
    {
      name: 'billing balance',
      summary: 'The balance of the organization, and how long it lasts',
      flags: { organization },
      examples: ['gpuaas billing balance', 'gpuaas billing balance --organization lab'],
      operation: 'billing_balance_get',
      reads: true,
    },
    {
      name: 'billing last-release',
      summary: 'What was last released because the balance was used up, and what it had cost',
      flags: { organization },
      examples: ['gpuaas billing last-release'],
      operation: 'billing_last_release_get',
      reads: true,
    },
    {
      name: 'billing ledger',
      summary: 'Every charge and credit, newest day first',
      flags: { organization, limit },
      examples: ['gpuaas billing ledger'],
      operation: 'billing_ledger_list',
      columns: ['day', 'kind', 'amount', 'allocation_name', 'sku', 'windows', 'reason', 'id'],
      none: 'Nothing was charged or credited yet.',
      reads: true,
    },
    {
      name: 'billing windows',
      summary: 'The windows of a usage line',
      args: [line],
      flags: { organization, limit },
      examples: [`gpuaas billing windows ${someId} --organization lab`],
      operation: 'billing_window_list',
      columns: ['from', 'to', 'quantity_ms', 'unit', 'rate_micro', 'amount', 'charged'],
      none: 'It has no windows.',
      reads: true,
    },
    {
      name: 'billing verify',
      summary: 'Verify the ledger: its chain, its sum and the usage behind it; an export needs no server',
      args: [
        {
          name: 'FILE',
          optional: true,
          meaning:
            'an export, as gpuaas billing export-ledger makes it; without one, the server verifies what it keeps',
        },
      ],
      flags: { organization },
      examples: ['gpuaas billing verify --organization lab', 'gpuaas billing verify ledger.ndjson'],
      operation: 'billing_ledger_verify',
      load: async () => (await import('../proof/ledger.ts')).verify,
      reads: true,
    },
    {
      name: 'billing export-ledger',
      summary: 'Save the whole ledger with its hash chain, to verify it elsewhere',
      flags: { organization, out },
      examples: ['gpuaas billing export-ledger --out ledger.ndjson'],
      operation: 'billing_ledger_export',
      load: async () => (await import('../proof/export.ts')).exportLedger,
      reads: true,
    },
    {
      name: 'billing prove',
      summary: 'Recompute a line of usage from signed evidence, without trusting the server',
      args: [line],
      flags: {
        organization,
        save: { type: 'string', value: 'FILE', meaning: 'keep the proof, to check it later or elsewhere' },
      },
      examples: [`gpuaas billing prove ${someId} --save proof.json`],
      load: async () => (await import('../proof/prove.ts')).prove,
      reads: true,
    },
    {
      name: 'billing check-proof',
      summary: 'Check a proof that was saved; needs no server',
      args: [{ name: 'FILE', meaning: 'a proof, as gpuaas billing prove --save makes it' }],
      examples: ['gpuaas billing check-proof proof.json'],
      load: async () => (await import('../proof/prove.ts')).checkProof,
      reads: true,
    },
    {
      name: 'billing usage',
      summary: 'Usage and cost of the organization',
      flags: {
        organization,
        ...period,
        ...usageFilters,
        'project-id': { type: 'string', value: 'ID', meaning: 'only this project' },
        'group-by': oneOf('GROUP', choices.billing_usage_get.group_by, 'add up by this (default: day)'),
      },
      examples: ['gpuaas billing usage --organization lab --group-by project'],
      operation: 'billing_usage_get',
      rows: 'rows',
      columns: usageColumns,
      none: 'Nothing was charged on these days.',
      reads: true,
    },
    {
      name: 'billing series',
      summary: 'Usage and cost of the organization by hour, day or month, in groups',
      flags: {
        ...period,
        ...usageFilters,
        'project-id': { type: 'string', value: 'ID', meaning: 'only this project' },
        interval: oneOf('INTERVAL', choices.billing_usage_list.interval, 'add up by this (default: day)'),
        'group-by': oneOf('GROUP', choices.billing_usage_list.group_by, 'a row for each of these (default: none)'),
        organization,
        limit,
      },
      examples: [
        'gpuaas billing series --interval month --group-by user',
        'gpuaas billing series --group-by sku -o csv',
      ],
      operation: 'billing_usage_list',
      columns: seriesColumns,
      none: 'Nothing was charged on these days.',
      reads: true,
    },
    {
      name: 'billing project-series',
      summary: 'Usage and cost of the project by hour, day or month, in groups',
      flags: {
        ...period,
        ...usageFilters,
        interval: oneOf('INTERVAL', choices.project_usage_list.interval, 'add up by this (default: day)'),
        'group-by': oneOf('GROUP', choices.project_usage_list.group_by, 'a row for each of these (default: none)'),
        limit,
      },
      examples: ['gpuaas billing project-series --interval hour --from 2026-11-16'],
      operation: 'project_usage_list',
      columns: seriesColumns,
      none: 'Nothing was charged on these days.',
      reads: true,
    },
    {
      name: 'billing forecast',
      summary: 'What the current month will cost, with a band',
      flags: { organization },
      examples: ['gpuaas billing forecast'],
      operation: 'billing_forecast_get',
      reads: true,
    },
    {
      name: 'billing idle',
      summary: 'What was charged while GPUs were reported as idle',
      flags: { ...period, organization },
      examples: ['gpuaas billing idle --from 2026-11-01'],
      operation: 'billing_idle_get',
      reads: true,
    },
    {
      name: 'billing export',
      summary: 'Usage as a file: CSV, FOCUS 1.3 or Parquet',
      flags: {
        ...period,
        ...usageFilters,
        'project-id': { type: 'string', value: 'ID', meaning: 'only this project' },
        format: {
          ...oneOf('FORMAT', choices.billing_usage_export.format, 'of the file (default: csv)'),
          otherwise: 'csv',
        },
        organization,
        out,
      },
      examples: [
        'gpuaas billing export --format focus > focus.csv',
        'gpuaas billing export --format parquet --out usage.parquet',
      ],
      operation: 'billing_usage_export',
      load: async () => (await import('../proof/export.ts')).exportUsage,
      reads: true,
    },
    {
      name: 'billing project',
      summary: 'Usage and cost of the project',
      flags: {
        ...period,
        ...usageFilters,
        'group-by': oneOf('GROUP', choices.project_usage_get.group_by, 'add up by this (default: day)'),
      },
      examples: ['gpuaas billing project --group-by allocation'],
      operation: 'project_usage_get',
      rows: 'rows',
      columns: usageColumns,
      none: 'Nothing was charged on these days.',
      reads: true,
    },
    {
      name: 'billing quote',
      summary: 'What a launch costs and does to balance, runway and budgets; its price is kept for a while',
      args: [skuArg],
      flags: {
        count: { ...count, needed: true },
        region: { ...region, needed: true },
        for: {
          ...{ type: 'string', value: 'TIME', as: 'seconds', field: 'max_duration_seconds' },
          meaning: 'released after this duration: 30m, 3h, 2d',
        },
        'max-spend': {
          ...{ type: 'string', value: 'AMOUNT', as: 'money', field: 'max_spend' },
          meaning: "released before it costs more, in minor units: '2500 USD' is 25 dollars",
        },
      },
      examples: ["gpuaas billing quote h200-sxm-slice --count 1 --region local --max-spend '2500 USD'"],
      operation: 'quote_create',
    },
    {
      name: 'billing budgets',
      summary: 'The budgets of the organization, and what this month has spent of them',
      flags: { organization },
      examples: ['gpuaas billing budgets --organization lab'],
      operation: 'budget_list',
      columns: budgetColumns,
      none: 'There are no budgets. gpuaas billing budget-set makes one.',
      reads: true,
    },
    {
      name: 'billing budget-set',
      summary: 'Make a budget for the organization, a project, a person or a tag',
      args: [{ name: 'NAME', meaning: 'the name of the budget', field: 'name' }],
      flags: {
        organization,
        scope: { ...oneOf('SCOPE', choices.budget_create.scope, 'whose spending it counts'), needed: true },
        subject: { type: 'string', value: 'SUBJECT', meaning: 'the id of the project or person, or key=value' },
        soft,
        hard,
        currency,
      },
      examples: ['gpuaas billing budget-set Lab --scope organization --soft 80000 --hard 100000 --currency USD'],
      operation: 'budget_create',
      columns: budgetColumns,
    },
    {
      name: 'billing budget-change',
      summary: 'Rename a budget, or change its thresholds',
      args: [budget],
      flags: {
        organization,
        name: { type: 'string', value: 'NAME', meaning: 'another name' },
        soft,
        hard,
        version,
      },
      examples: [`gpuaas billing budget-change ${someId} --hard 200000`],
      operation: 'budget_update',
      columns: budgetColumns,
    },
    {
      name: 'billing budget-remove',
      summary: 'Remove a budget',
      args: [budget],
      flags: { organization },
      examples: [`gpuaas billing budget-remove ${someId}`],
      asks: 'Remove the budget {}?',
      operation: 'budget_remove',
      columns: budgetColumns,
    },
    {
      name: 'billing top-up',
      summary: 'Begin a payment, and learn where to pay',
      flags: { organization, 'amount-minor': minor, currency },
      examples: ['gpuaas billing top-up --amount-minor 2500 --currency USD'],
      operation: 'payment_session_create',
    },
    {
      name: 'billing payments',
      summary: 'The payments of the organization, newest first',
      flags: { organization, limit },
      examples: ['gpuaas billing payments'],
      operation: 'payment_session_list',
      columns: ['created_at', 'state', 'amount', 'credited', 'refunded', 'url', 'id'],
      none: 'Nothing was paid yet. Begin with gpuaas billing top-up.',
      reads: true,
    },
    {
      name: 'billing payment',
      summary: 'One payment, and where to pay while it is open',
      args: [payment],
      flags: { organization },
      examples: [`gpuaas billing payment ${someId}`],
      operation: 'payment_session_get',
      reads: true,
    },
    {
      name: 'billing payment-options',
      summary: 'How the organization can pay, and how much at once',
      flags: { organization },
      examples: ['gpuaas billing payment-options'],
      operation: 'payment_options_get',
      reads: true,
    },
    {
      name: 'ops billing payments',
      summary: 'Every payment, newest first',
      flags: {
        state: oneOf('STATE', choices.admin_payment_list.state, 'only those in this state'),
        'organization-id': { type: 'string', value: 'ID', meaning: 'only those of this organization' },
        limit,
      },
      examples: ['gpuaas ops billing payments', 'gpuaas ops billing payments --state failed_reconcile'],
      operation: 'admin_payment_list',
      columns: ['created_at', 'organization_name', 'state', 'credited', 'refunded', 'problem', 'id'],
      none: 'There are no such payments.',
      reads: true,
    },
    {
      name: 'ops billing refund',
      summary: 'Refund a payment, or a part of it: to the payer, or as credit',
      args: [{ name: 'PAYMENT', meaning: 'the id of a payment', field: 'payment_id' }],
      flags: {
        'amount-minor': minor,
        currency,
        to: oneOf('WHERE', choices.admin_payment_refund.to, 'payer, or credit (default: payer while that is possible)'),
        reason: because,
      },
      examples: [`gpuaas ops billing refund ${someId} --amount-minor 2500 --currency USD --reason 'asked for'`],
      operation: 'admin_payment_refund',
    },
    {
      name: 'ops billing accounts',
      summary: 'Every account with its balance',
      flags: {
        q: { type: 'string', value: 'TEXT', meaning: 'part of the name or slug' },
        state: oneOf('STATE', choices.admin_billing_account_list.state, 'only accounts in this state'),
        limit,
      },
      examples: ['gpuaas ops billing accounts', "gpuaas ops billing accounts --state 'low balance'"],
      operation: 'admin_billing_account_list',
      columns: ['slug', 'name', 'balance', 'state', 'charged_30_days', 'entries', 'organization_id'],
      none: 'There are no accounts.',
      reads: true,
    },
    {
      name: 'ops billing revenue',
      summary: 'What all organizations were charged, by day and SKU',
      flags: { ...period },
      examples: ['gpuaas ops billing revenue --from 2026-11-01'],
      operation: 'admin_billing_revenue_get',
      rows: 'rows',
      columns: ['day', 'sku', 'amount', 'quantity_ms', 'organizations'],
      none: 'Nothing was charged on these days.',
      reads: true,
    },
    {
      name: 'ops billing grant',
      summary: 'Give an organization credit',
      args: [account],
      flags: {
        'amount-minor': minor,
        currency,
        'expires-at': {
          ...{ type: 'string', value: 'TIME' },
          meaning: 'when the credit expires (default: after billing.credit_days)',
        },
        reason: because,
      },
      examples: [`gpuaas ops billing grant ${someId} --amount-minor 2500 --currency USD --reason 'a welcome'`],
      operation: 'admin_billing_grant_create',
    },
  ],
};
