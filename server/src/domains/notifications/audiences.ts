import { notificationKindNames, specOf } from '@gpuaas/contract';

/**
 * The audience of each kind, as two lists for a statement. Who is in an audience changes after a notification was written, so
 * `notification_is_for` is asked again when it is read, mailed or put into a daily mail.
 */
export const audiences: readonly [kinds: readonly string[], audiences: readonly string[]] = [
  notificationKindNames,
  notificationKindNames.map((kind) => specOf(kind).to),
];
