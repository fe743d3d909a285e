import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { useNames } from '../client/names.ts';
import { Copy } from '../parts/copy.tsx';
import { Panel } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';

/** Who else may work in an allocation, until when, and how to let one more member in. */
export function GrantsPanel({ allocationId }: { allocationId: string }) {
  const nameOf = useNames();
  const grants = useAsk(
    ['access-grants', allocationId],
    (options) => api.allocations.accessGrantList({ allocation_id: allocationId, active: true, limit: 50 }, options),
    { everyMs: 30_000 },
  );
  if (grants.error) return <Problem error={grants.error} again={() => void grants.refetch()} />;
  const rows = grants.data?.data ?? [];
  return (
    <Panel title="Access grants">
      <div className="grid grid-cols-1 gap-3">
        {rows.length === 0 ? (
          <p className="text-dim">No other member has a grant. To let one in for some hours, run:</p>
        ) : (
          <ul className="grid gap-2">
            {rows.map((row) => (
              <li key={row.id}>
                <bdi className="font-medium">{nameOf(row.user_id)}</bdi>
                <span className="text-dim">
                  , ends <Ago at={row.expires_at} />, granted by {nameOf(row.granted_by)}
                  {row.reason !== '' && (
                    <>
                      : <bdi>{row.reason}</bdi>
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
        <Copy text={`gpuaas grant add ${allocationId} MEMBER --for 4h`} label="the command that makes a grant" />
      </div>
    </Panel>
  );
}
