import type { MakeExample } from './examples.ts';

const nothing: MakeExample = async () => ({});

export const notificationExamples: Readonly<Record<string, MakeExample>> = {
  notification_list: nothing,
  notification_count: nothing,
  notification_read: async () => ({ body: {} }),
  notification_preferences_get: nothing,
  notification_preference_set: async () => ({ params: { kind: 'allocation_idle' }, body: { mail: 'daily' } }),
};
