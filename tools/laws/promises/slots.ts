import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';
const when = '2026-01-01T00:00:00Z';

/** What the schema promises about slots: a row with these values is refused. */
export const slotChecks: Readonly<Record<string, Promised>> = {
  slots_check: {
    promise: 'a slot that is reserved or in use says for whom',
    table: 'slots',
    row: { state: 'in_use', allocation_id: null },
  },
  slots_check1: {
    promise: 'a slot that is on offer belongs to nobody',
    table: 'slots',
    row: { state: 'available', allocation_id: uuid },
  },
  slots_sold_clean: {
    promise: 'a slot that is on offer owes no wipe',
    table: 'slots',
    row: { state: 'available', allocation_id: null, wipe_owed_since: when },
  },
  slots_wipe_waived: {
    promise: 'a decision to sell without proof says who, when and why',
    table: 'slots',
    row: { wipe_waived_at: when, wipe_waived_by: uuid, wipe_waived_reason: null },
  },
};
