import { describe, expect, it } from 'vitest';
import { evaluateReport, type Host } from './evaluate-report.ts';

const slots = [0, 1].map((index) => ({
  ...{ id: `slot-${index}`, slot_index: index, pci_address: `0000:0${index}:00.0`, state: 'in_use' },
}));
const judge = (type: string, reason: string, message: string, over: Partial<Host> = {}) =>
  evaluateReport({ shape: 'gpu_slice', slots, conditions: [{ type, status: 'False', reason, message }], ...over });

describe('what a report means', () => {
  it('is nothing while every condition holds', () => {
    const conditions = [{ type: 'GpusHealthy', status: 'True', reason: 'AllAnswer', message: 'Slot 1' }];
    expect(evaluateReport({ shape: 'gpu_slice', slots, conditions })).toEqual([]);
  });

  it.each([
    ['GpusHealthy', 'Xid79', 'Slot 1: xid_79.'],
    ['GpusHealthy', 'GpusUnwell', '1 of 2 GPUs answer, 1 are unwell. 0000:01:00.0: Xid 79: fallen off the bus.'],
  ])('holds the slot that %s %s names, and tells whoever rents it', (type, reason, message) => {
    expect(judge(type, reason, message)).toEqual([
      expect.objectContaining({
        ...{ kind: 'gpus_healthy', effect: 'blocks_sale', slotId: 'slot-1' },
        tenantMessage: expect.stringContaining('Xid 79'),
      }),
    ]);
  });

  it('holds the whole node when no slot is named', () => {
    expect(judge('HostResponsive', 'NoAnswer', 'The host did not say how it is.')).toMatchObject([
      { effect: 'blocks_sale', slotId: null },
    ]);
  });

  it('only informs of what whoever has root on a whole node can bring about, until they have left', () => {
    const unloaded = ['DriverReady', 'DriverUnavailable', 'nvidia-smi: no driver'] as const;
    expect(judge(...unloaded, { shape: 'baremetal' })).toMatchObject([{ effect: 'informs', tenantMessage: null }]);
    const left = slots.map((slot) => ({ ...slot, state: 'available' }));
    expect(judge(...unloaded, { shape: 'baremetal', slots: left })).toMatchObject([{ effect: 'blocks_sale' }]);
  });

  it('takes no word of a program for a fault of the hardware', () => {
    const unloaded = ['DriverReady', 'DriverUnavailable', 'nvidia-smi: Xid 79: fallen off the bus'] as const;
    expect(judge(...unloaded, { shape: 'baremetal' })).toMatchObject([{ effect: 'informs', tenantMessage: null }]);
    expect(judge('StorageReady', 'DiskFull', 'df: xid 79')).toMatchObject([{ tenantMessage: null }]);
  });

  it('blocks the sale of a GPU with an Xid of the hardware also on a rented whole node', () => {
    const off = ['GpusHealthy', 'GpusUnwell', '0000:00:00.0: Xid 79: fallen off the bus.'] as const;
    expect(judge(...off, { shape: 'baremetal' })).toMatchObject([{ effect: 'blocks_sale', slotId: 'slot-0' }]);
  });

  it('is said once of a slot when it is reported twice: what the hardware reports comes before what a tenant can bring about', () => {
    const said = (reason: string) => ({ type: 'GpusHealthy', status: 'False', reason, message: 'Slot 0.' });
    const conditions = [said('Slow'), said('Slower'), said('Xid79'), said('Xid48')];
    expect(evaluateReport({ shape: 'baremetal', slots, conditions })).toMatchObject([
      { slotId: 'slot-0', effect: 'blocks_sale', message: 'Xid79: Slot 0.' },
    ]);
  });

  it('only informs of a clock that is not kept, and not at all of a drain', () => {
    expect(judge('ClockKept', 'NotSynchronized', 'The clock is not synchronized.')).toMatchObject([
      { effect: 'informs' },
    ]);
    expect(judge('AcceptsLeases', 'Draining', 'The node takes no new lease.')).toEqual([]);
  });
});
