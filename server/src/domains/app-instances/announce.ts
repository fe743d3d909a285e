import {
  appInstanceFailed,
  appInstanceLaunching,
  appInstanceReleased,
  appInstanceRunning,
  appInstanceStopped,
  appInstanceUpgraded,
  type DeclaredEvent,
} from '@gpuaas/contract';
import type { Moved } from '../../kernel/machine.ts';
import type { InstanceRow } from './store.ts';

/** What each event says of its instance. */
export const instanceOf = (row: InstanceRow, version: number) => ({
  app_instance_id: row.id,
  allocation_id: row.allocation_id,
  organization_id: row.organization_id,
  project_id: row.project_id,
  version,
  app_reference: row.app_reference,
  app_version: row.app_version,
  simulated: row.simulated,
});

/** The event of a change of state; none where a state only waits for the next one. */
export function eventsOf(
  row: InstanceRow,
  moved: Moved,
  about: {
    readonly attempt?: number;
    readonly failure?: { readonly code: string; readonly reason: string };
    readonly reason?: 'user' | 'allocation_ended';
  } = {},
): DeclaredEvent[] {
  const instance = instanceOf(row, moved.version);
  switch (moved.to) {
    case 'launching':
      return [appInstanceLaunching.of(row.id, { ...instance, attempt: about.attempt ?? 1 })];
    case 'running':
      return [
        appInstanceRunning.of(row.id, instance),
        ...(row.version_change === 'trying' && row.previous_version !== null
          ? [appInstanceUpgraded.of(row.id, { ...instance, from_version: row.previous_version })]
          : []),
      ];
    case 'stopped':
      return [appInstanceStopped.of(row.id, instance)];
    case 'failed': {
      const { code = 'unknown', reason = '' } = about.failure ?? {};
      return [appInstanceFailed.of(row.id, { ...instance, failure_code: code, failure_reason: reason })];
    }
    case 'released':
      return [appInstanceReleased.of(row.id, { ...instance, reason: about.reason ?? 'user' })];
    default:
      return [];
  }
}
