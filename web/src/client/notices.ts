import { api } from './api.ts';
import { useAsk } from './ask.ts';
import { useSession } from './session.tsx';

/** As many as a person reads at once. */
const shownNotices = 50;

export function useLatestNotices() {
  const isIn = useSession().project !== undefined;
  return useAsk(['notices', 'latest'], (options) => api.notices.list({ limit: shownNotices }, options), {
    enabled: isIn,
  });
}
