import { useEffect } from 'react';
import { useSession } from '../../client/session.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Empty, Loading, NoProject, Problem } from '../../parts/states.tsx';
import { onKey } from '../../shell/keys.ts';
import { LaunchAccess } from './access.tsx';
import { SkuChoice } from './choices.tsx';
import { useLaunchLists } from './lists.ts';
import { LaunchLimits, LaunchShape } from './shape.tsx';
import { LaunchSummary } from './summary.tsx';
import { useWish } from './wish.ts';

/** One form from request to price. The choice is in the address, so it can be shared. */
export function LaunchPage() {
  const isIn = useSession().project !== undefined;
  const lists = useLaunchLists(isIn);
  const chosen = useWish(lists);
  const { items, machines, name, wish, choose } = chosen;
  useEffect(() => {
    const ends = chosen.counts.map((count) => onKey(String(count), () => choose({ gpus: count })));
    return () => {
      for (const end of ends) end();
    };
  });
  if (!isIn) {
    return (
      <Page title="Launch">
        <NoProject />
      </Page>
    );
  }
  const { catalog } = lists;
  return (
    <Page
      title="Launch"
      lead="Choose a GPU. You see the price before you launch."
      shown={
        machines === 1
          ? { operation: 'allocation_create', input: { ...wish, name } }
          : { operation: 'allocation_group_create', input: { name, members: Array(machines).fill(wish) } }
      }
    >
      {catalog.error && <Problem error={catalog.error} again={() => void catalog.refetch()} />}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid grid-cols-1 gap-6">
          <Panel title="GPU">
            {!catalog.data && !catalog.error && <Loading rows={4} />}
            {catalog.data && items.length === 0 && (
              <Empty icon="tag" title="No SKUs available yet">
                <p>The operator of this installation has not published any capacity.</p>
              </Empty>
            )}
            <SkuChoice
              items={items}
              chosen={chosen.item}
              region={chosen.region}
              gpus={chosen.gpus}
              onChoose={({ sku, allowed_gpu_counts }) => choose({ sku, gpus: allowed_gpu_counts[0] ?? 1 })}
            />
          </Panel>
          {chosen.item && <LaunchShape chosen={chosen} />}
          {chosen.item && <LaunchLimits chosen={chosen} />}
          <LaunchAccess
            keys={lists.keys}
            error={lists.keysError}
            again={lists.keysAgain}
            unwanted={chosen.unwanted}
            onToggle={chosen.toggleKey}
          />
        </div>
        <LaunchSummary chosen={chosen} />
      </div>
    </Page>
  );
}
