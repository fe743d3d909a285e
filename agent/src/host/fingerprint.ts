import { createHash } from 'node:crypto';

/** As OpenSSH writes it, of the key in base64. */
export const fingerprintOfBlob = (blob: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64').replace(/=+$/, '')}`;

/** The same, of a line such as `ssh-ed25519 AAAA…`. */
export const fingerprintOfKey = (line: string): string => fingerprintOfBlob(line.split(' ')[1] ?? '');
