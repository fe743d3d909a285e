import type { BlobName, ByteRange, Part } from './port.ts';
import { limits } from './port.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const digest = /^[0-9a-f]{64}$/;

/** Refused by every adapter before anything is touched: only ids become paths and keys. */
export function checkBlob({ projectId, blobId }: BlobName): void {
  for (const id of [projectId, blobId]) {
    if (!uuid.test(id)) throw new RangeError(`${JSON.stringify(id.slice(0, 80))} is no id of a blob`);
  }
}

export function checkPart({ number, sizeBytes, sha256 }: Part): void {
  const isNumber = Number.isInteger(number) && number >= 1 && number <= limits.mostParts;
  const isSize = Number.isInteger(sizeBytes) && sizeBytes >= 0 && sizeBytes <= limits.largestPartBytes;
  if (!isNumber || !isSize || !digest.test(sha256)) throw new RangeError(`part ${number} is not well-formed`);
}

/** Parts of a whole are numbered from 1 without a gap. */
export function checkParts(parts: readonly Part[]): void {
  parts.forEach((part, index) => {
    checkPart(part);
    if (part.number !== index + 1) throw new RangeError(`part ${index + 1} is missing`);
  });
  if (parts.length === 0) throw new RangeError('a blob has at least one part, which may be empty');
}

export function checkRange({ start, end }: ByteRange): void {
  const isRange = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start;
  if (!isRange) throw new RangeError(`${start} to ${end} is no range of bytes`);
}

export const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
