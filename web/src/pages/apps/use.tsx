import type { AppUseHour } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useList } from '../../client/ask.ts';
import { Panel } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { spellMoney } from '../../words/money.ts';

const lookEveryMs = 30_000;
const unitsOf = ({ units }: AppUseHour) =>
  Object.entries(units)
    .map(([name, count]) => `${name} ${count.toLocaleString()}`)
    .join(', ');

/** What an instance was used for, by hour: requests, bytes, and the units of its manifest. */
export function Use({ id }: { id: string }) {
  const list = useList(
    ['app-instance-use', id],
    (from, options) => api.appInstances.use({ app_instance_id: id, ...from }, options),
    { everyMs: lookEveryMs },
  );
  return (
    <Panel title="Use">
      <Rows
        label="Use by hour"
        list={list}
        keyOf={(row) => `${row.hour} ${row.endpoint}`}
        columns={[
          { head: 'Hour', cell: (row) => <Ago at={row.hour} /> },
          { head: 'Endpoint', cell: (row) => row.endpoint },
          { head: 'Requests', cell: (row) => row.requests.toLocaleString() },
          { head: 'Failed', cell: (row) => row.failures.toLocaleString() },
          { head: 'Bytes in', cell: (row) => row.bytes_in.toLocaleString() },
          { head: 'Bytes out', cell: (row) => row.bytes_out.toLocaleString() },
          { head: 'Units', cell: unitsOf },
          { head: 'Cost', end: true, cell: ({ cost }) => cost && <span className="tabular">{spellMoney(cost)}</span> },
        ]}
        empty={<Empty icon="activity" title="Nobody has used it yet" />}
      />
    </Panel>
  );
}
