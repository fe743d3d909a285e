import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';
const when = '2026-01-01T00:00:00Z';

/** Promises of measurements. */
export const telemetryUniqueness: Readonly<Record<string, Promised>> = {
  telemetry_points_key: {
    promise: 'a sample that comes twice is kept once',
    table: 'telemetry_points',
    row: {
      node_id: uuid,
      source: 'host',
      resolution_seconds: 10,
      at: when,
      allocation_id: null,
      organization_id: null,
    },
  },
};
export const telemetryChecks: Readonly<Record<string, Promised>> = {
  telemetry_points_whole: {
    promise: 'what was measured for an allocation says whose it is, so that the wall around its tenant holds',
    table: 'telemetry_points',
    row: { source: 'host', resolution_seconds: 10, allocation_id: uuid, organization_id: null },
  },
  telemetry_points_guest: {
    promise: 'what a guest measured names its slice',
    table: 'telemetry_points',
    row: { source: 'guest', resolution_seconds: 10, allocation_id: null, organization_id: null },
  },
  telemetry_points_stale: {
    promise: 'only averages are made anew; a sample is what it was',
    table: 'telemetry_points',
    row: { source: 'host', resolution_seconds: 10, stale: true, allocation_id: null, organization_id: null },
  },
};
