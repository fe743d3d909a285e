import type { Envelope } from '@gpuaas/contract';

/** Postgres keeps neither zero bytes nor half characters, and a letter that cannot be kept would come back for ever. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
const storable = (_field: string, value: unknown): unknown => {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [storableText(field), inner]));
};

/** An envelope as the database can take it. One that came from there is unchanged. */
export const storableEnvelope = (envelope: Envelope): string => JSON.stringify(envelope, storable);
