import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { NameCell } from '../../parts/name-cell.tsx';
import { Panel } from '../../parts/page.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { spellMoney } from '../../words/money.ts';
import { spellDuration } from '../../words/time.ts';

const freshMs = 300_000;
const shownRows = 3;

/** What was paid for GPUs that did nothing, where hosts have reported it. */
export function IdlePanel({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const mayOpen = useMay()('allocation_get');
  const idle = useAsk(
    ['billing', 'idle', organization_id],
    (options) => api.billing.idleGet({ organization_id }, options),
    {
      freshMs,
    },
  );
  const it = idle.data;
  return (
    <Panel title="Idle cost of the last 30 days">
      {idle.error && !it ? (
        <Problem error={idle.error} again={() => void idle.refetch()} />
      ) : !it ? (
        <Loading rows={2} label="Loading the idle cost" />
      ) : !it.amount ? (
        <p className="text-dim">Unavailable: no host has reported how busy the GPUs of these allocations were.</p>
      ) : (
        <div className="grid gap-3">
          <p>
            <span className="tabular text-xl font-semibold">{spellMoney(it.amount)}</span>{' '}
            <span className="text-dim">
              was charged while all GPUs of an allocation were idle. Hosts reported on {it.observed_percent} % of the
              charged time.
            </span>
          </p>
          <ul className="grid gap-2">
            {it.rows.slice(0, shownRows).map((row) => (
              <li key={row.allocation_id} className="flex flex-wrap items-baseline justify-between gap-x-4">
                {mayOpen ? (
                  <NameCell to="/allocations/$id" id={row.allocation_id} name={row.name ?? 'an allocation'} />
                ) : (
                  <bdi className="font-medium">{row.name ?? 'an allocation'}</bdi>
                )}
                <span className="tabular text-sm text-dim">
                  {spellMoney(row.amount)}, idle for {spellDuration(Number(row.idle_ms))}
                </span>
              </li>
            ))}
          </ul>
          {mayOpen && <p className="text-sm text-dim">Open an allocation to set an idle stop for it.</p>}
        </div>
      )}
    </Panel>
  );
}
