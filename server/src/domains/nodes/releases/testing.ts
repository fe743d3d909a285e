import { createHash } from 'node:crypto';

export const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The path of an upload, with what it declares. */
export const uploadPath = (declared: {
  readonly version?: string;
  readonly digest: string;
  readonly size: number;
}): string =>
  `/api/v1/admin/agent-releases?version=${declared.version ?? '1.4.0'}&digest=${declared.digest}&size_bytes=${declared.size}`;
