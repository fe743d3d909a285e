import type { Clock } from '../../kernel/clock.ts';
import type { Adapted } from '../adapter.ts';
import { type DevInboxOptions, openDevInbox } from './inbox.ts';
import type { Mail } from './port.ts';
import { openSmtpMail, type SmtpConfig } from './smtp.ts';

export type MailConfig =
  | { readonly kind: 'inbox'; readonly url: string; readonly keep?: number }
  | ({ readonly kind: 'smtp' } & SmtpConfig);

/** The only place that knows how mail leaves. Who wants to read the inbox opens it with `openDevInbox`. */
export async function openMail(
  config: MailConfig,
  parts: { readonly clock: Clock } & Pick<DevInboxOptions, 'log'>,
): Promise<Mail & Adapted> {
  switch (config.kind) {
    case 'inbox':
      return openDevInbox({ ...parts, ...config });
    case 'smtp':
      return openSmtpMail({ ...parts, ...config });
  }
}
