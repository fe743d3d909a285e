import { systemIds } from '../../src/kernel/id.ts';
import type { MakeExample } from './examples.ts';

/** Two examples in a row differ. */
let asked = 0;
const nothing: MakeExample = async () => ({});

export const notificationExamples: Readonly<Record<string, MakeExample>> = {
  notification_list: nothing,
  notification_count: nothing,
  notification_read: async () => ({ body: { ids: [systemIds.next()] } }),
  notification_preferences_get: nothing,
  notification_preference_set: async () => {
    asked += 1;
    return { params: { kind: 'allocation_idle' }, body: { mail: asked % 2 ? 'daily' : 'none', inbox: asked % 4 < 2 } };
  },
};
