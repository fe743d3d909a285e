import type { Envelope } from '@gpuaas/contract';
import { systemIds } from '../../../server/src/kernel/id.ts';

/** The events of the relay benchmark: 400 bytes each, and each says its run, its key and its place within the key. */
export const subject = 'tenancy.project.created';
export const stream = 'TENANCY';
const envelopeBytes = 400;

export interface Event {
  readonly key: string;
  readonly envelope: Envelope;
}

export function makeEvent(run: string, key: number, place: number): Event {
  const id = systemIds.next();
  const envelope = (padding: number): Envelope => ({
    event_id: id,
    event_type: subject,
    occurred_at: new Date().toISOString(),
    version: '1.0',
    correlation_id: id,
    payload: { project_id: id, name: 'x'.repeat(padding), slug: slugOf(run, key, place) },
  });
  const bare = JSON.stringify(envelope(0)).length;
  return { key: `key-${key}`, envelope: envelope(Math.max(1, envelopeBytes - bare)) };
}

export const slugOf = (run: string, key: number, place: number): string => `${run}-${key}-${place}`;

export function readSlug(slug: string): { readonly run: string; readonly key: string; readonly place: number } {
  const [run = '', key = '', place = ''] = slug.split('-');
  return { run, key, place: Number(place) };
}

/** Milliseconds of a clock that all processes of a machine share. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;
