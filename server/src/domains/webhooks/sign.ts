import { createHmac } from 'node:crypto';
import { secondMs } from '../../kernel/units.ts';

const prefix = 'whsec_';

/** A secret as Standard Webhooks writes it. */
export const secretOf = (bytes: Uint8Array): string => `${prefix}${Buffer.from(bytes).toString('base64')}`;

/** The headers of Standard Webhooks. While secrets change, one signature of each is sent. */
export function signedHeaders(
  secrets: readonly string[],
  message: { readonly id: string; readonly at: Date; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(message.at.getTime() / secondMs);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${message.id}.${timestamp}.${message.body}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'user-agent': 'GPUaaS-Webhooks/1',
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
