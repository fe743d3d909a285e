import { mayChooseMail, specOf } from '@gpuaas/contract';
import { digestLines } from '../facts.ts';
import { plainName } from '../letters.ts';
import { messageOf } from '../words/message.ts';
import type { Message } from '../words/words.ts';
import { type Block, compose, type Written } from './compose.ts';
import type { TakenMail } from './queue-store.ts';

interface Addresses {
  readonly publicUrl: string;
  readonly unsubscribeUrl: (subscription: {
    readonly userId: string;
    readonly kind: TakenMail['kind'] | 'daily';
  }) => string;
}

/** Chosen names stand in a mail on one line and without anything that becomes a link. */
const messageIn = ({ kind, payload, allocation_name, organization_name }: TakenMail): Message =>
  messageOf(kind, {
    payload,
    allocation: allocation_name === null ? undefined : plainName(allocation_name),
    organization: organization_name === null ? undefined : plainName(organization_name),
  });
const settingsPath = '/notification-settings';

const linkOf = ({ publicUrl }: Addresses, link: Message['link']): Block[] =>
  link ? [{ say: `${link.label}:` }, { link: new URL(link.path, publicUrl).href, label: link.label }] : [];

/** One notification as a mail. Where the person has a choice it says how to end such mails, also for one click (RFC 8058). */
export function writeNotification(
  addresses: Addresses,
  mail: TakenMail,
): Written & { readonly unsubscribeUrl?: string } {
  const message = messageIn(mail);
  const body: Block[] = [
    { say: `${message.title}.` },
    ...message.text.map((say) => ({ say })),
    ...linkOf(addresses, message.link),
  ];
  const settings = new URL(settingsPath, addresses.publicUrl).href;
  if (!mayChooseMail(specOf(mail.kind))) {
    const why = 'Mail about money and security is always sent. Your settings:';
    return compose(message.title, body, [{ say: why }, { link: settings, label: 'Notification settings' }]);
  }
  const unsubscribeUrl = addresses.unsubscribeUrl({ userId: mail.user_id, kind: mail.kind });
  const footer: Block[] = [
    { say: 'You get this mail because of your notification settings. End mails of this kind:' },
    { link: unsubscribeUrl, label: 'Unsubscribe' },
    { say: 'Your settings:' },
    { link: settings, label: 'Notification settings' },
  ];
  return { ...compose(message.title, body, footer), unsubscribeUrl };
}

/** What waited for the daily mail of one person, as one mail. */
export function writeDigest(
  addresses: Addresses,
  mails: readonly TakenMail[],
): Written & { readonly unsubscribeUrl?: string } {
  const userId = mails[0]?.user_id ?? '';
  const unsubscribeUrl = addresses.unsubscribeUrl({ userId, kind: 'daily' });
  const lines = mails.slice(0, digestLines).map((mail) => {
    const message = messageIn(mail);
    return { say: `${message.title}.`, more: message.text.join(' ') };
  });
  const left = mails.length - lines.length;
  const subject = `Your day on GPUaaS: ${mails.length} notification${mails.length === 1 ? '' : 's'}`;
  const body: Block[] = [
    { say: 'This happened since the last daily mail:' },
    { list: lines },
    ...(left > 0 ? [{ say: `And ${left} more.` }] : []),
    { say: 'All of them:' },
    { link: new URL('/notifications', addresses.publicUrl).href, label: 'Open notifications' },
  ];
  const footer: Block[] = [
    { say: 'You chose one mail a day. End it:' },
    { link: unsubscribeUrl, label: 'Unsubscribe' },
    { say: 'Your settings:' },
    { link: new URL(settingsPath, addresses.publicUrl).href, label: 'Notification settings' },
  ];
  return { ...compose(subject, body, footer), unsubscribeUrl };
}
