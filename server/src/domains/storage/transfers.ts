import type { StorageAddress } from '@gpuaas/contract';
import type { Clock } from '../../kernel/clock.ts';
import { Outage } from '../../kernel/fault.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import { secondMs } from '../../kernel/units.ts';
import type { BlobName, OpenUpload, Part, Shown, Storage } from '../../ports/storage/port.ts';

/**
 * Addresses for bytes. Where callers reach the object store (`GPUAAS_STORAGE_S3_DIRECT_ENDPOINT`), they are presigned requests, which
 * the store checks. Elsewhere they lead to the api (edge/storage/mount.ts), and what they allow is sealed into them: one part with its
 * digest, or one download, until a time.
 */
export interface Transfers {
  part(upload: OpenUpload, part: Part, seconds: number): Promise<StorageAddress>;
  read(blob: BlobName, shown: Shown & { readonly sizeBytes: number }, seconds: number): Promise<StorageAddress>;
  /** What a sealed address allows now; undefined for one that we did not seal, or whose time is over. */
  open(token: string): Transfer | undefined;
}
export type Transfer =
  | { readonly kind: 'part'; readonly upload: OpenUpload; readonly part: Part; readonly until: number }
  | {
      readonly kind: 'read';
      readonly blob: BlobName;
      readonly shown: Shown & { readonly sizeBytes: number };
      readonly until: number;
    };

/** The path of our own addresses, which the api serves. */
export const transfersPath = '/transfers';
const place = 'storage transfer';

export function makeTransfers(parts: {
  readonly storage: Pick<Storage, 'direct'>;
  readonly seal: Seal | undefined;
  readonly clock: Clock;
  readonly publicUrl: string;
}): Transfers {
  const { clock, seal } = parts;
  const until = (seconds: number) => clock.now().getTime() + seconds * secondMs;
  const close = (transfer: Transfer): string => {
    if (!seal) throw new Outage('files are not carried without GPUAAS_SECRETS_KEY');
    const token = seal.close(JSON.stringify(transfer), place).toString('base64url');
    return `${parts.publicUrl}${transfersPath}?t=${token}`;
  };
  const show = (
    method: StorageAddress['method'],
    sizeBytes: number,
    seconds: number,
    address: { readonly url: string; readonly headers: Readonly<Record<string, string>> },
  ): StorageAddress => ({
    ...{ method, url: address.url, headers: { ...address.headers }, size_bytes: sizeBytes },
    expires_at: new Date(until(seconds)).toISOString(),
  });
  return {
    async part(upload, part, seconds) {
      const { projectId, blobId, handle } = upload;
      const allowed: Transfer = { kind: 'part', upload: { projectId, blobId, handle }, part, until: until(seconds) };
      const address = (await parts.storage.direct?.part(upload, part, seconds)) ?? {
        url: close(allowed),
        headers: { 'content-type': 'application/octet-stream' },
      };
      return show('PUT', part.sizeBytes, seconds, address);
    },
    async read(blob, shown, seconds) {
      const { projectId, blobId } = blob;
      const allowed: Transfer = { kind: 'read', blob: { projectId, blobId }, shown, until: until(seconds) };
      const address = (await parts.storage.direct?.read(blob, shown, seconds)) ?? { url: close(allowed), headers: {} };
      return show('GET', shown.sizeBytes, seconds, address);
    },
    open(token) {
      try {
        const allowed = JSON.parse(seal?.open(Buffer.from(token, 'base64url'), place) ?? 'null') as Transfer | null;
        return allowed && allowed.until > clock.now().getTime() ? allowed : undefined;
      } catch {
        // The answer does not say why a token is refused.
        return undefined;
      }
    },
  };
}

/** What `encodeURIComponent` leaves and a header must not have. */
const encodedSigns: Readonly<Record<string, string>> = { "'": '%27', '(': '%28', ')': '%29', '*': '%2A' };
/** Only these are shown in a browser as what they say; all else is bytes, so that no file of a tenant becomes a page. */
const harmless = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'text/plain', 'application/pdf']);
export const shownAs = (contentType: string, name: string, sizeBytes: number) => ({
  contentType: harmless.has(contentType) ? contentType : 'application/octet-stream',
  contentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => encodedSigns[sign] ?? sign)}`,
  sizeBytes,
});
