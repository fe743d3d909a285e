import type { ArgSpec, CommandGroup } from '../command.ts';
import { amount, currency, organization, version } from './words.ts';

const card: ArgSpec = { name: 'CARD', meaning: 'a card, as gpuaas billing cards shows it', field: 'method_id' };
const cardColumns = ['brand', 'last4', 'expires', 'is_default', 'id'];
const topUpFlags = {
  organization,
  threshold: amount('threshold_minor', 'a balance at or below it is topped up: 10 or 10.50'),
  amount: amount('amount_minor', 'what each payment adds to the balance'),
  'monthly-limit': amount('monthly_limit_minor', 'what automatic payments add in one month'),
  currency,
  version,
} as const;
const example = '--threshold 10 --amount 50 --monthly-limit 200';

/** Saved cards, and automatic payments with them. */
export const cards: CommandGroup = {
  title: 'Saved cards',
  commands: [
    {
      name: 'billing cards',
      summary: 'The cards that the payment provider keeps for the organization',
      flags: { organization },
      examples: ['gpuaas billing cards'],
      operation: 'payment_method_list',
      columns: cardColumns,
      none: 'No card is saved. gpuaas billing card-add says where to enter one.',
      reads: true,
    },
    {
      name: 'billing card-add',
      summary: 'Save a card: learn where to enter it',
      flags: { organization },
      examples: ['gpuaas billing card-add'],
      operation: 'payment_method_add',
    },
    {
      name: 'billing card-default',
      summary: 'Make a saved card the one that automatic top-ups charge',
      args: [card],
      flags: { organization },
      examples: ['gpuaas billing card-default pm_sim_0'],
      operation: 'payment_method_set_default',
      columns: cardColumns,
    },
    {
      name: 'billing card-remove',
      summary: 'Remove a saved card from the payment provider',
      args: [card],
      flags: { organization },
      examples: ['gpuaas billing card-remove pm_sim_0'],
      asks: 'Remove the card {}?',
      operation: 'payment_method_remove',
    },
    {
      name: 'billing auto-top-up',
      summary: 'Whether the balance is topped up automatically, and how that went',
      flags: { organization },
      examples: ['gpuaas billing auto-top-up'],
      operation: 'auto_top_up_get',
      reads: true,
    },
    {
      name: 'billing auto-top-up-on',
      summary: 'Top up the balance automatically, with the default card',
      flags: topUpFlags,
      gives: { enabled: true },
      examples: [`gpuaas billing auto-top-up-on ${example}`],
      operation: 'auto_top_up_set',
    },
    {
      name: 'billing auto-top-up-off',
      summary: 'Turn automatic top-ups off, and keep what was set',
      flags: { organization, version },
      gives: { enabled: false },
      examples: ['gpuaas billing auto-top-up-off'],
      operation: 'auto_top_up_set',
    },
  ],
};
