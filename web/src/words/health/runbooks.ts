import type { AppInstance } from '@gpuaas/sdk';
import type { Moment } from '../story.ts';

/** Runbooks that pages lead an operator to. A check compares the names with the pages in docs/runbooks. */
export const stuckWorkflows = 'workflows-stuck';

/** An instance that runs and cannot be opened fails on the way to it; any other one fails at its host. */
export const runbookOfInstance = ({ state }: Pick<AppInstance, 'state'>): string | undefined => {
  if (state === 'running') return 'apps-not-reached';
  return state === 'launching' || state === 'failed' ? 'app-launches-stand-still' : undefined;
};

/** What went wrong in one moment of a request, if something did. */
export function runbookOfMoment({ source, name, state }: Moment): string | undefined {
  if (source === 'dead_letter') return state === 'open' ? 'dlq-depth' : undefined;
  if (source === 'task') {
    if (state === 'expired') return 'node-tasks-waiting';
    return state === 'failed' ? 'allocations-stuck' : undefined;
  }
  if (source === 'allocation' && name.endsWith('release_failed')) return 'slot-cleanup-blocked';
  return name === 'apps.instance.failed' ? 'app-launches-stand-still' : undefined;
}
