import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { Cache } from '../../../ports/cache/port.ts';
import { viewBytes, viewSeconds } from '../facts.ts';

/**
 * A person who opens a recording is noted in the audit log and gets a view; its pages are read with that view alone. So nobody reads
 * without a note, and one note stands for all pages. A view is of one person and one recording, and works for nobody else.
 */
export interface Views {
  open(recordingId: string, userId: string): Promise<{ readonly view: string; readonly expiresAt: Date }>;
  isOpen(view: string, recordingId: string, userId: string): Promise<boolean>;
}

export function makeViews(parts: {
  readonly cache: Pick<Cache, 'get' | 'set'>;
  readonly ids: Ids;
  readonly clock: Clock;
}): Views {
  const viewMs = viewSeconds * secondMs;
  const key = (view: string) => `terminal_recording_view:${view}`;
  const ofBoth = (recordingId: string, userId: string) => `${recordingId} ${userId}`;
  return {
    async open(recordingId, userId) {
      const view = parts.ids.secret(viewBytes);
      await parts.cache.set(key(view), ofBoth(recordingId, userId), viewMs);
      return { view, expiresAt: new Date(parts.clock.now().getTime() + viewMs) };
    },
    isOpen: async (view, recordingId, userId) => (await parts.cache.get(key(view))) === ofBoth(recordingId, userId),
  };
}
