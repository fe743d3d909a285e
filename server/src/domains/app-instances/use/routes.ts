import { type AppUse, type AppUseHour, appInstanceUse, appUseList } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { readPage } from '../../../kernel/page.ts';
import { dayMs, secondMs } from '../../../kernel/units.ts';
import { usualUseDays } from '../facts.ts';
import type { InstanceParts } from '../parts.ts';
import { type AppUseRow, listAppUse, listUseHours, type UseHourRow } from './store.ts';

const on = handlers<InstanceParts>();

const sumsOf = (
  row: Pick<UseHourRow, 'requests' | 'failures' | 'bytes_in' | 'bytes_out' | 'units' | 'cost' | 'last_at'>,
) => ({
  ...{ requests: Number(row.requests), failures: Number(row.failures) },
  ...{ bytes_in: Number(row.bytes_in), bytes_out: Number(row.bytes_out) },
  ...{ units: row.units, cost: row.cost, last_used_at: row.last_at.toISOString() },
});
const showHour = (row: UseHourRow): AppUseHour => ({
  ...{ hour: row.hour.toISOString(), endpoint: row.endpoint_name, app_version: row.app_version },
  ...{ operating_mode: row.operating_mode, correlation_id: row.correlation_id },
  ...sumsOf(row),
});
const showApp = (row: AppUseRow): AppUse => ({
  ...{ app_reference: row.app_reference, instances: row.instances },
  ...sumsOf(row),
});

/** A key of a page: seconds, and the endpoint. */
function readKey(key: string | undefined) {
  if (key === undefined) return undefined;
  const at = key.indexOf('.');
  return { hour: new Date(Number(key.slice(0, at)) * secondMs).toISOString(), endpoint: key.slice(at + 1) };
}

const ofInstance = on(appInstanceUse, (parts, who, { params, query }) =>
  readPage({
    ...{ name: 'app-instance-use', query, key: 'timeAndText' },
    read: (before, limit) =>
      parts.db.read(who, (tx) => listUseHours(tx, params.app_instance_id, readKey(before), limit)),
    keyOf: ({ hour, endpoint_name }) => `${hour.getTime() / secondMs}.${endpoint_name}`,
    show: showHour,
  }),
);

const ofProject = on(appUseList, (parts, who, { query }) => {
  const since = new Date(parts.clock.now().getTime() - (query.days ?? usualUseDays) * dayMs);
  return readPage({
    ...{ name: 'app-use', query, key: 'reference' },
    read: (after, limit) => parts.db.read(who, (tx) => listAppUse(tx, who.projectId, since, after, limit)),
    keyOf: ({ app_reference }) => app_reference,
    show: showApp,
  });
});

export const useRoutes = (parts: InstanceParts): Mounted[] => [ofInstance, ofProject].map((bind) => bind(parts));
