import { api } from './api.ts';
import { useAsk } from './ask.ts';
import { useSession } from './session.tsx';

/** The project at a glance. Home and the bell ask for it together, so that a page costs one request. */
export function useOverview() {
  const isIn = useSession().project !== undefined;
  return useAsk(['overview'], (options) => api.overview.get(options), { enabled: isIn });
}
