/**
 * What every store refuses in the same words, before anything is touched. The alphabet is small on purpose: within it
 * no two keys are the same file, no key leaves its folder, and byte order, string order and every store's listing
 * order are one and the same.
 */
const segment = /^[A-Za-z0-9_][A-Za-z0-9._=@+-]*$/;
const maxKeyLength = 900;
const maxSegmentLength = 200;
export const maxPage = 1_000;

export function checkKey(key: string): void {
  const reason = faultOf(key);
  if (reason) throw new RangeError(`${JSON.stringify(key.slice(0, 120))} is no object key: ${reason}`);
}

/** A prefix is the beginning of a key and may end anywhere in it. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

function faultOf(key: string): string | undefined {
  if (key.length > maxKeyLength) return `it has more than ${maxKeyLength} characters`;
  for (const part of key.split('/')) {
    if (part === '') return 'a segment is empty';
    if (part.length > maxSegmentLength) return `a segment has more than ${maxSegmentLength} characters`;
    if (!segment.test(part)) return 'a segment is not plain';
  }
  return undefined;
}

export function checkPage(page: { readonly limit: number; readonly after?: string }): void {
  if (!Number.isSafeInteger(page.limit) || page.limit < 1 || page.limit > maxPage) {
    throw new RangeError(`a page holds from 1 to ${maxPage} objects, not ${page.limit}`);
  }
  if (page.after !== undefined) checkKey(page.after);
}

/** It becomes a header of an answer one day, so it must not be able to begin another. */
export function checkContentType(contentType: string): void {
  if (contentType.length > 255 || !/^[!-.0-:<-~]+\/[!-:<-~]+(?:;[ -~]*)?$/.test(contentType)) {
    throw new RangeError(`${JSON.stringify(contentType.slice(0, 120))} is no content type`);
  }
}

export const defaultContentType = 'application/octet-stream';
