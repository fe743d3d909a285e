import { throttleReasons } from '@gpuaas/contract/node';
import type { Clock } from '../../clock.ts';
import type { HostSample } from '../port.ts';
import { drawBytes, gpuModels } from './hardware.ts';
import { slotIndexesOf } from './leases.ts';
import type { HostParts } from './parts.ts';

/**
 * Values that follow what runs: a busy GPU draws power, warms up and fills its memory; an idle one rests. The shares are those of an
 * H200 under a half-precision matrix product (578 W, 57 °C, 1650 MHz under its power cap) and at rest (81 W, 345 MHz).
 */
const rest = { watts: 81, celsius: 31, smMhz: 345 } as const;
const load = { celsius: 35, smMhz: 1_980, cappedMhz: 1_650, cappedFrom: 96 } as const;
const memoryMhz = 3_201;
const hot = { celsius: 89, smMhz: 1_200 } as const;
const uncorrected = 2;
const fallen = 79;
const nvlinkKibPerPercent = 1_200_000;
const gibibyte = 1_024;

interface Reading {
  readonly index: number;
  readonly uuid: string;
  readonly isLost: boolean;
  readonly utilization: number;
}

export function measureSimulated({ hardware, store, faults, evidence }: HostParts, clock: Clock): HostSample[] {
  const silent = faults.find('driver_unavailable') ?? faults.find('wrong_driver');
  const unavailable = silent && { unavailable: 'The driver does not answer (a simulated fault).' };
  const loads = evidence.utilization();
  const seen = evidence.gpus();
  const readings = hardware.slots.flatMap(({ slot_index: index, pci_address }): Reading[] => {
    const gpu = seen.find((each) => each.pci_address === pci_address);
    return gpu ? [{ index, uuid: gpu.uuid, isLost: faultAt('xid_79', index), utilization: loads[index] ?? 0 }] : [];
  });
  function faultAt(name: 'xid_79' | 'overheating' | 'memory_errors', index: number): boolean {
    return faults.find(name)?.slot_index === index;
  }
  const draw = (purpose: string, span: number) => {
    const step = String(Math.floor(clock.now().getTime() / 10_000));
    return drawBytes(hardware.hostname, `${purpose} ${step}`).readUInt16BE(0) % span;
  };
  const mean = (of: readonly Reading[]) =>
    of.reduce((sum, { utilization }) => sum + utilization, 0) / Math.max(1, of.length);
  const gpuValues = (of: readonly Reading[]) => {
    const { powerW, memoryMib } = gpuModels[hardware.model];
    const each = (value: (reading: Reading, isHot: boolean) => number) =>
      of.map((reading) => (reading.isLost ? null : value(reading, faultAt('overheating', reading.index))));
    const isCapped = ({ utilization }: Reading) => utilization >= load.cappedFrom;
    return {
      utilization: each(({ utilization }) => utilization),
      memory_utilization: each(({ utilization }) => Math.round(utilization * 0.29)),
      memory_used_mib: each(({ utilization }) => Math.round(memoryMib * (utilization / 100) * 0.8)),
      memory_total_mib: each(() => memoryMib),
      power_watts: each(({ utilization }) => Math.round(rest.watts + ((powerW - rest.watts) * utilization) / 100)),
      power_limit_watts: each(() => powerW),
      temperature_celsius: each(({ index, utilization }, isHot) =>
        isHot ? hot.celsius : Math.round(rest.celsius + (index % 4) + (load.celsius * utilization) / 100),
      ),
      memory_temperature_celsius: each(({ utilization }, isHot) =>
        isHot ? hot.celsius : Math.round(rest.celsius + 9 + (18 * utilization) / 100),
      ),
      sm_clock_mhz: each((reading, isHot) =>
        isHot ? hot.smMhz : reading.utilization === 0 ? rest.smMhz : isCapped(reading) ? load.cappedMhz : load.smMhz,
      ),
      memory_clock_mhz: each(() => memoryMhz),
      ecc_corrected_total: each(({ index }) => (faultAt('memory_errors', index) ? uncorrected : 0)),
      ecc_uncorrected_total: each(({ index }) => (faultAt('memory_errors', index) ? uncorrected : 0)),
      nvlink_receive_kib_s: each(({ utilization }) => (of.length > 1 ? utilization * nvlinkKibPerPercent : 0)),
      nvlink_transmit_kib_s: each(({ utilization }) => (of.length > 1 ? utilization * nvlinkKibPerPercent : 0)),
      throttle: each((reading, isHot) =>
        isHot
          ? throttleReasons.hardware_slowdown | throttleReasons.hardware_thermal
          : isCapped(reading)
            ? throttleReasons.software_power_cap
            : 0,
      ),
      xid: of.map(({ isLost }) => (isLost ? fallen : 0)),
    };
  };
  /** Processors, memory, disk and network of the host or of one of its machines, by the share that works. */
  const machineValues = (of: readonly Reading[], memoryMib: number, name: string) => {
    const busy = mean(of);
    return {
      cpu_percent: Math.min(100, Math.round(busy * 0.35) + draw(`${name} cpu`, 5)),
      memory_total_mib: memoryMib,
      memory_used_mib: Math.round(memoryMib * (0.04 + (0.4 * busy) / 100)),
      disk_total_mib: 3_500 * gibibyte,
      disk_used_mib: (90 + Math.round(busy * 4)) * gibibyte,
      disk_read_kib_s: Math.round(busy * 2_000) + draw(`${name} read`, 900),
      disk_write_kib_s: Math.round(busy * 300) + draw(`${name} write`, 400),
      network_receive_kib_s: Math.round(busy * 4_000) + draw(`${name} in`, 700),
      network_transmit_kib_s: Math.round(busy * 3_500) + draw(`${name} out`, 700),
    };
  };
  const of = (readings: readonly Reading[]) =>
    unavailable
      ? { gpus: [], gpu: {}, ...unavailable }
      : { gpus: readings.map(({ uuid }) => uuid), gpu: gpuValues(readings) };
  const guests = Object.entries(store.now.machines).flatMap(([allocationId, machine]): HostSample[] => {
    if (machine.state !== 'running' || faults.find('silent_guest')) return [];
    const indexes = slotIndexesOf(
      hardware,
      machine.slots.map(({ pci_address }) => pci_address),
    );
    const mine = readings.filter(({ index }) => indexes.includes(index));
    const memoryMib = Math.round(hardware.memoryMib / hardware.slots.length) * Math.max(1, mine.length);
    return [
      { source: 'guest', allocation_id: allocationId, host: machineValues(mine, memoryMib, allocationId), ...of(mine) },
    ];
  });
  return [{ source: 'host', host: machineValues(readings, hardware.memoryMib, 'host'), ...of(readings) }, ...guests];
}
