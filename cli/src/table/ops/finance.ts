import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../../command.ts';
import { account, amount, because, currency, limit, oneOf, organization, region } from '../words.ts';

const adjustment: ArgSpec = {
  ...{ name: 'ADJUSTMENT', field: 'adjustment_id' },
  meaning: 'an adjustment, as gpuaas ops billing adjustments shows it',
};
const moment = (meaning: string): FlagSpec => ({ type: 'string', value: 'TIME', meaning });
const adjustmentColumns = ['created_at', 'organization_name', 'state', 'amount', 'reason', 'requested_by', 'id'];
const priceColumns = ['sku', 'region', 'unit_price', 'list_price', 'state', 'effective_from', 'effective_to', 'id'];
const creditColumns = ['created_at', 'amount', 'left', 'state', 'expires_at', 'reason', 'id'];
const someId = '01a1dea2-0000-7000-8000-000000000000';

/** Corrections with a second person, credit, and negotiated prices. */
export const finance: CommandGroup = {
  title: 'Finance',
  commands: [
    {
      name: 'ops billing adjust',
      summary: 'Correct a line of a ledger, or give credit; above a limit, a second person has to approve it',
      args: [account],
      flags: {
        amount: {
          ...amount('amount_minor', 'what it does to the balance: 25 gives it back, --amount=-25 takes it'),
          needed: true,
        },
        currency,
        corrects: {
          type: 'string',
          value: 'LINE',
          meaning: 'the line that was wrong, as gpuaas ops billing ledger shows it; none for credit',
        },
        reason: because,
      },
      examples: [
        `gpuaas ops billing adjust lab --corrects ${someId} --amount 25 --reason 'a slow disk'`,
        `gpuaas ops billing adjust lab --amount 5000 --reason 'a research grant'`,
      ],
      operation: 'admin_adjustment_create',
    },
    {
      name: 'ops billing ledger',
      summary: 'Every charge and credit of an organization, newest day first',
      args: [account],
      flags: { limit },
      examples: ['gpuaas ops billing ledger lab'],
      operation: 'admin_billing_ledger_list',
      columns: [
        'day',
        'kind',
        'meter',
        'amount',
        'allocation_name',
        'project_name',
        'sku',
        'quantity_ms',
        'reason',
        'id',
      ],
      none: 'Nothing was charged or credited yet.',
      reads: true,
    },
    {
      name: 'ops billing adjustments',
      summary: 'Corrections that finance asked for, newest first',
      flags: {
        state: oneOf('STATE', choices.admin_adjustment_list.state, 'only those in this state'),
        'organization-id': { type: 'string', value: 'ID', meaning: 'only those of this organization' },
        limit,
      },
      examples: ['gpuaas ops billing adjustments --state waiting'],
      operation: 'admin_adjustment_list',
      columns: adjustmentColumns,
      none: 'There are no such adjustments.',
      reads: true,
    },
    {
      name: 'ops billing approve',
      summary: 'Approve a correction that another person asked for',
      args: [adjustment],
      flags: { note: { type: 'string', value: 'TEXT', meaning: 'a note about the decision' } },
      examples: [`gpuaas ops billing approve ${someId}`],
      operation: 'admin_adjustment_approve',
    },
    {
      name: 'ops billing reject',
      summary: 'Reject a correction, or withdraw one that you asked for',
      args: [adjustment],
      flags: { note: { type: 'string', value: 'TEXT', meaning: 'why', needed: true } },
      examples: [`gpuaas ops billing reject ${someId} --note 'the line is right'`],
      operation: 'admin_adjustment_reject',
    },
    {
      name: 'billing credit',
      summary: 'Credit that the organization was given, what is left of it, and when it expires',
      flags: { organization, limit },
      examples: ['gpuaas billing credit'],
      operation: 'billing_credit_list',
      columns: creditColumns,
      none: 'The organization was given no credit.',
      reads: true,
    },
    {
      name: 'ops billing credit',
      summary: 'The credit that an organization was given',
      args: [account],
      flags: { limit },
      examples: [`gpuaas ops billing credit ${someId}`],
      operation: 'admin_billing_credit_list',
      columns: creditColumns,
      none: 'This organization was given no credit.',
      reads: true,
    },
    {
      name: 'billing prices',
      summary: 'Prices that were negotiated with the organization',
      flags: { organization, limit },
      examples: ['gpuaas billing prices'],
      operation: 'price_book_list',
      columns: priceColumns,
      none: 'No price was negotiated: launches pay the list price.',
      reads: true,
    },
    {
      name: 'ops billing prices',
      summary: 'The negotiated prices of an organization',
      args: [account],
      flags: { limit },
      examples: [`gpuaas ops billing prices ${someId}`],
      operation: 'admin_price_book_list',
      columns: priceColumns,
      none: 'No price was negotiated with this organization.',
      reads: true,
    },
    {
      name: 'ops billing price-add',
      summary: 'Set a negotiated price from a time on',
      args: [account, { name: 'SKU', meaning: 'as gpuaas sku list shows it', field: 'sku' }],
      flags: {
        price: { ...amount('unit_price_minor', 'for each unit of the SKU and hour, as 1.99'), needed: true },
        currency,
        region,
        'effective-from': moment('from when launches pay it (default: now)'),
        'effective-to': moment('until when (default: for ever)'),
        reason: because,
      },
      examples: ["gpuaas ops billing price-add lab h200-sxm-slice --price 1.99 --reason 'offer 12'"],
      operation: 'admin_price_book_add',
    },
    {
      name: 'ops billing price-end',
      summary: 'End a negotiated price',
      args: [account, { name: 'PRICE', meaning: 'a price, as gpuaas ops billing prices shows it', field: 'price_id' }],
      flags: { 'effective-to': moment('from when it ends (default: now)') },
      examples: [`gpuaas ops billing price-end ${someId} ${someId}`],
      operation: 'admin_price_book_end',
    },
    {
      name: 'ops billing storage-prices',
      summary: 'Prices of stored files, newest first',
      flags: { limit },
      examples: ['gpuaas ops billing storage-prices'],
      operation: 'admin_storage_price_list',
      columns: ['currency', 'rate_micro', 'state', 'effective_from', 'id'],
      none: 'Stored files have no price: they are counted and cost nothing.',
      reads: true,
    },
    {
      name: 'ops billing storage-price',
      summary: 'Set the price of stored files from a time on',
      flags: {
        'price-micro': {
          ...{ type: 'string', value: 'NUMBER', field: 'rate_micro', needed: true },
          meaning: 'for a GiB and hour, in millionths of a cent: 3000 is 0.00003 USD, about 0.02 USD a month',
        },
        currency: { ...currency, needed: true },
        'effective-from': moment('from when it is charged (default: now)'),
        reason: because,
      },
      examples: ["gpuaas ops billing storage-price --price-micro 3000 --currency USD --reason 'as announced'"],
      operation: 'admin_storage_price_add',
    },
  ],
};
