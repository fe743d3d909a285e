import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { because, limit, oneOf, organization } from './words.ts';

const someId = '01a1dea2-0000-7000-8000-000000000000';
const document: ArgSpec = {
  name: 'DOCUMENT',
  meaning: 'the id of a document, as gpuaas billing documents shows it',
  field: 'document_id',
};
const invoice: ArgSpec = {
  name: 'INVOICE',
  meaning: 'the id of an invoice, as gpuaas ops billing invoices shows it',
  field: 'invoice_id',
};
const text = (value: string, meaning: string, field?: string): FlagSpec => ({
  ...{ type: 'string', value, meaning },
  ...(field !== undefined && { field }),
});
const party: Readonly<Record<string, FlagSpec>> = {
  'legal-name': { ...text('NAME', 'the name in the register of companies, or of the person'), needed: true },
  address: {
    ...text('LINE,…', 'street and number; up to three lines', 'address_lines'),
    ...{ as: 'list', needed: true },
  },
  'postal-code': text('CODE', 'the postal code'),
  city: { ...text('CITY', 'the city'), needed: true },
  country: { ...text('CODE', 'two letters: DE'), needed: true },
  'tax-id': text('ID', 'the VAT number or the like'),
};
const columns = ['issued_at', 'kind', 'number', 'state', 'total', 'tax', 'id'];
const none = 'There are no such documents yet.';

/** Invoices, credit notes, receipts and statements, and whose name stands on them. */
export const documents: CommandGroup = {
  title: 'Documents about money',
  commands: [
    {
      name: 'billing documents',
      summary: 'Invoices, credit notes, receipts and statements, newest first',
      flags: {
        organization,
        kind: oneOf('KIND', choices.billing_document_list.kind, 'only these'),
        limit,
      },
      examples: ['gpuaas billing documents', 'gpuaas billing documents --kind receipt'],
      operation: 'billing_document_list',
      ...{ columns, none, reads: true },
    },
    {
      name: 'billing invoices',
      summary: 'The invoices of the organization, newest first',
      flags: { organization, limit },
      examples: ['gpuaas billing invoices'],
      operation: 'billing_document_list',
      gives: { kind: 'invoice' },
      ...{ columns: ['issued_at', 'number', 'state', 'due_at', 'total', 'tax', 'id'], none, reads: true },
    },
    {
      name: 'billing statements',
      summary: 'The statements of the organization, newest month first',
      flags: { organization, limit },
      examples: ['gpuaas billing statements'],
      operation: 'billing_document_list',
      gives: { kind: 'statement' },
      ...{ columns: ['period.from', 'number', 'total', 'id'], none, reads: true },
    },
    {
      name: 'billing document',
      summary: 'Everything that one document says',
      args: [document],
      flags: { organization },
      examples: [`gpuaas billing document ${someId}`],
      operation: 'billing_document_get',
      reads: true,
    },
    {
      name: 'billing download',
      summary: 'Save one document as PDF',
      args: [document],
      flags: { organization, save: text('FILE', 'where (default: the number of the document)') },
      examples: [`gpuaas billing download ${someId} --save invoice.pdf`],
      load: async () => (await import('../documents/download.ts')).download,
      reads: true,
    },
    {
      name: 'billing verify-document',
      summary: 'Make a document again from the ledger, and compare it byte for byte',
      args: [document],
      flags: { organization },
      examples: [`gpuaas billing verify-document ${someId}`],
      operation: 'billing_document_verify',
      reads: true,
    },
    {
      name: 'billing details',
      summary: 'Name, address and tax id that stand on invoices',
      flags: { organization },
      examples: ['gpuaas billing details'],
      operation: 'billing_details_get',
      reads: true,
    },
    {
      name: 'billing set-details',
      summary: 'Set what the next documents have as customer',
      flags: {
        organization,
        ...party,
        'customer-type': {
          ...oneOf('TYPE', choices.billing_details_set.customer_type, 'who buys'),
          needed: true,
        },
        'invoice-email': text('ADDRESS', 'where documents go (default: to the owners)'),
      },
      examples: [
        "gpuaas billing set-details --legal-name 'Lab GmbH' --address 'Street 1' --city Bonn --country DE --customer-type business",
      ],
      operation: 'billing_details_set',
    },
    {
      name: 'ops billing invoices',
      summary: 'Every invoice, newest first',
      flags: {
        state: oneOf('STATE', choices.admin_invoice_list.state, 'only those in this state'),
        'organization-id': text('ID', 'only those of this organization'),
        limit,
      },
      examples: ['gpuaas ops billing invoices --state past_due'],
      operation: 'admin_invoice_list',
      columns: ['period.from', 'organization_name', 'state', 'number', 'gross', 'due_at', 'reminders', 'id'],
      none: 'There are no such invoices.',
      reads: true,
    },
    {
      name: 'ops billing finalise-invoice',
      summary: 'Make a draft final: it gets its number and its date',
      args: [invoice],
      examples: [`gpuaas ops billing finalise-invoice ${someId}`],
      operation: 'admin_invoice_finalise',
    },
    {
      name: 'ops billing pay-invoice',
      summary: 'Note that an invoice was paid in full outside of the payment provider',
      args: [invoice],
      flags: { reason: because },
      examples: [`gpuaas ops billing pay-invoice ${someId} --reason 'bank transfer 17'`],
      operation: 'admin_invoice_pay',
    },
    {
      name: 'ops billing void-invoice',
      summary: 'Take an invoice back, with a credit note where it was final',
      args: [invoice],
      flags: { reason: because },
      examples: [`gpuaas ops billing void-invoice ${someId} --reason 'a wrong address'`],
      operation: 'admin_invoice_void',
      asks: 'Take invoice {} back?',
    },
    {
      name: 'ops billing seller',
      summary: 'The company that stands on invoices as seller',
      examples: ['gpuaas ops billing seller'],
      operation: 'admin_seller_get',
      reads: true,
    },
    {
      name: 'ops billing set-seller',
      summary: 'Set the seller. From then on tax is charged by its country',
      flags: party,
      examples: [
        "gpuaas ops billing set-seller --legal-name 'GPU Cloud GmbH' --address 'Weg 1' --city Bonn --country DE --tax-id DE123456788",
      ],
      operation: 'admin_seller_set',
    },
  ],
};
