/**
 * What is measured on a host, in one list: the agent fills it, the database keeps it by these names, and the API, the command
 * line, the console and the exporters show it. A name that ends in `_total` is a counter; `throttle` is a set of bits.
 */
export interface Measure {
  /** For people. */
  readonly label: string;
  readonly unit: '%' | 'MiB' | 'W' | '°C' | 'MHz' | 'KiB/s' | 'errors' | '';
  /** In the Prometheus format: its name there, and what one unit of ours is in its unit. */
  readonly exported: { readonly name: string; readonly scale: number };
}

const mebibyte = 1_048_576;
const kibibyte = 1_024;
const megahertz = 1_000_000;
const define = <const R extends Readonly<Record<string, Measure>>>(measures: R): R => measures;

export const hostMeasures = define({
  cpu_percent: { label: 'CPU', unit: '%', exported: { name: 'cpu_ratio', scale: 0.01 } },
  memory_used_mib: { label: 'Memory used', unit: 'MiB', exported: { name: 'memory_used_bytes', scale: mebibyte } },
  memory_total_mib: { label: 'Memory', unit: 'MiB', exported: { name: 'memory_bytes', scale: mebibyte } },
  disk_used_mib: { label: 'Disk used', unit: 'MiB', exported: { name: 'disk_used_bytes', scale: mebibyte } },
  disk_total_mib: { label: 'Disk', unit: 'MiB', exported: { name: 'disk_bytes', scale: mebibyte } },
  disk_read_kib_s: {
    label: 'Disk reads',
    unit: 'KiB/s',
    exported: { name: 'disk_read_bytes_per_second', scale: kibibyte },
  },
  disk_write_kib_s: {
    label: 'Disk writes',
    unit: 'KiB/s',
    exported: { name: 'disk_write_bytes_per_second', scale: kibibyte },
  },
  network_receive_kib_s: {
    label: 'Network in',
    unit: 'KiB/s',
    exported: { name: 'network_receive_bytes_per_second', scale: kibibyte },
  },
  network_transmit_kib_s: {
    label: 'Network out',
    unit: 'KiB/s',
    exported: { name: 'network_transmit_bytes_per_second', scale: kibibyte },
  },
});
export type HostMeasure = keyof typeof hostMeasures;
export const hostMeasureNames = Object.keys(hostMeasures) as HostMeasure[];

export const gpuMeasures = define({
  utilization: { label: 'GPU utilization', unit: '%', exported: { name: 'gpu_utilization_ratio', scale: 0.01 } },
  memory_utilization: {
    label: 'Memory bandwidth in use',
    unit: '%',
    exported: { name: 'gpu_memory_utilization_ratio', scale: 0.01 },
  },
  memory_used_mib: {
    label: 'GPU memory used',
    unit: 'MiB',
    exported: { name: 'gpu_memory_used_bytes', scale: mebibyte },
  },
  memory_total_mib: { label: 'GPU memory', unit: 'MiB', exported: { name: 'gpu_memory_bytes', scale: mebibyte } },
  power_watts: { label: 'Power', unit: 'W', exported: { name: 'gpu_power_watts', scale: 1 } },
  power_limit_watts: { label: 'Power limit', unit: 'W', exported: { name: 'gpu_power_limit_watts', scale: 1 } },
  temperature_celsius: { label: 'Temperature', unit: '°C', exported: { name: 'gpu_temperature_celsius', scale: 1 } },
  memory_temperature_celsius: {
    label: 'Memory temperature',
    unit: '°C',
    exported: { name: 'gpu_memory_temperature_celsius', scale: 1 },
  },
  sm_clock_mhz: { label: 'SM clock', unit: 'MHz', exported: { name: 'gpu_sm_clock_hertz', scale: megahertz } },
  memory_clock_mhz: {
    label: 'Memory clock',
    unit: 'MHz',
    exported: { name: 'gpu_memory_clock_hertz', scale: megahertz },
  },
  ecc_corrected_total: {
    label: 'Corrected memory errors',
    unit: 'errors',
    exported: { name: 'gpu_ecc_corrected_errors', scale: 1 },
  },
  ecc_uncorrected_total: {
    label: 'Uncorrected memory errors',
    unit: 'errors',
    exported: { name: 'gpu_ecc_uncorrected_errors', scale: 1 },
  },
  nvlink_receive_kib_s: {
    label: 'NVLink in',
    unit: 'KiB/s',
    exported: { name: 'gpu_nvlink_receive_bytes_per_second', scale: kibibyte },
  },
  nvlink_transmit_kib_s: {
    label: 'NVLink out',
    unit: 'KiB/s',
    exported: { name: 'gpu_nvlink_transmit_bytes_per_second', scale: kibibyte },
  },
  throttle: { label: 'Throttle reasons', unit: '', exported: { name: 'gpu_throttle_reasons', scale: 1 } },
  xid: { label: 'Last Xid', unit: '', exported: { name: 'gpu_xid', scale: 1 } },
});
export type GpuMeasure = keyof typeof gpuMeasures;
export const gpuMeasureNames = Object.keys(gpuMeasures) as GpuMeasure[];

/** The bits of `throttle`, as the driver gives them in `clocks_event_reasons.active`. Idle clocks are no throttling. */
export const throttleReasons = {
  software_power_cap: 0x4,
  hardware_slowdown: 0x8,
  sync_boost: 0x10,
  software_thermal: 0x20,
  hardware_thermal: 0x40,
  power_brake: 0x80,
} as const;
export type ThrottleReason = keyof typeof throttleReasons;

export const namesOfThrottle = (bits: number): ThrottleReason[] =>
  (Object.keys(throttleReasons) as ThrottleReason[]).filter((name) => (bits & throttleReasons[name]) !== 0);

/** Too hot, as software or hardware decided. */
export const thermalBits = throttleReasons.software_thermal | throttleReasons.hardware_thermal;

/** How far apart samples are, and how long the coarse points are. */
export const sampleSeconds = 10;
export const coarseSeconds = 300;
