import type { AllocationPlan } from '@gpuaas/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useAsk } from '../client/ask.ts';
import { letGo } from '../client/let-go.ts';
import { may, useSession } from '../client/session.tsx';
import { Button } from '../parts/button.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, NoProject, Problem } from '../parts/states.tsx';
import { onKey } from '../shell/keys.ts';
import { spellMoney, timesAmount } from '../words/money.ts';
import { counted } from '../words/sizes.ts';
import { bestRegion, byReach, hourly, inventName, priceSentence, stockOf } from '../words/wish.ts';
import { LaunchAccess } from './launch-access.tsx';
import { CountChoice, SkuChoice } from './launch-choices.tsx';
import { LaunchPlan } from './launch-plan.tsx';

const hours: readonly (readonly [string, string])[] = [
  ['', 'Until released'],
  ['1', '1 hour'],
  ['3', '3 hours'],
  ['8', '8 hours'],
  ['24', '24 hours'],
  ['168', '7 days'],
];
const idleTimes: readonly (readonly [string, string])[] = [
  ['', 'Do nothing when idle'],
  ...[15, 30, 60, 240].map((minutes) => [String(minutes), `Release after ${minutes} idle minutes`] as const),
];
type Wish = Parameters<typeof api.allocationGroups.create>[0]['members'][number];
interface Order {
  readonly name: string;
  readonly wish: Wish;
  readonly machines: number;
  readonly queue: boolean;
}
const hourSeconds = 3_600;
const queueSeconds = 24 * hourSeconds;
const mostMachines = 16;

/** One form from request to price. The choice is in the address, so it can be shared. */
export function LaunchPage() {
  const session = useSession();
  const isIn = session.project !== undefined;
  const search = useSearch({ strict: false }) as { sku?: string; gpus?: string; region?: string; machines?: string };
  const navigate = useNavigate();
  const catalog = useAsk(['catalog'], (options) => api.catalog.list({ limit: 100 }, options), { everyMs: 15_000 });
  const own = useAsk(['ssh-keys', 'all'], (options) => api.sshKeys.list({ limit: 100 }, options));
  const shared = useAsk(['ssh-keys', 'project'], (options) => api.sshKeys.projectList({ limit: 100 }, options), {
    enabled: isIn,
  });
  const regionList = useAsk(['regions'], (options) => api.catalog.regionList({ limit: 100 }, options));
  const imageList = useAsk(['images'], (options) => api.catalog.osImageList({ limit: 100 }, options));
  const [name, setName] = useState(inventName);
  // As on the command line: it runs until it is released, unless the person chooses a duration.
  const [hour, setHour] = useState('');
  const [idle, setIdle] = useState('');
  const [wantedImage, setImage] = useState('');
  const [unwanted, setUnwanted] = useState<ReadonlySet<string>>(new Set());

  const items = [...(catalog.data?.data ?? [])].sort(byReach);
  const item = items.find(({ sku }) => sku === search.sku) ?? items[0];
  const regions = [
    ...new Set([
      ...(item?.availability.map((entry) => entry.region) ?? []),
      ...(regionList.data?.data.map(({ slug }) => slug) ?? []),
    ]),
  ];
  const region = regions.find((each) => each === search.region) ?? bestRegion(item, regions);
  const counts = item?.allowed_gpu_counts ?? [];
  const gpus = counts.find((count) => String(count) === search.gpus) ?? counts[0] ?? 1;
  const machines = Math.min(mostMachines, Math.max(1, Math.floor(Number(search.machines)) || 1));
  const images = imageList.data?.data.filter(({ skus }) => item && skus.includes(item.sku)) ?? [];
  const image = images.find(({ slug }) => slug === wantedImage)?.slug;
  const defaultImage = images.find(({ slug }) => slug === item?.default_image);
  const keys = own.data && [...own.data.data, ...(shared.data?.data ?? [])];
  const chosenKeys = (keys ?? []).map(({ id }) => id).filter((id) => !unwanted.has(id));
  const choose = (next: { sku?: string; gpus?: number; region?: string; machines?: number }) => {
    const [sku, where] = [next.sku ?? item?.sku, next.region ?? region];
    const many = next.machines ?? machines;
    letGo(
      navigate({
        to: '/launch',
        replace: true,
        search: {
          gpus: String(next.gpus ?? gpus),
          ...(sku && { sku }),
          ...(where && { region: where }),
          ...(many > 1 && { machines: String(many) }),
        },
      }),
    );
  };

  const wish: Wish | undefined =
    item && region
      ? {
          sku: item.sku,
          gpus,
          region,
          ...(image && { image }),
          ...(chosenKeys.length > 0 && { ssh_key_ids: chosenKeys }),
          ...(hour && { max_duration_seconds: Number(hour) * hourSeconds }),
          ...(idle && { idle: { minutes: Number(idle), action: 'release' as const } }),
        }
      : undefined;
  const mayLaunch = may(session, 'allocation_create');
  const asked = useDeferredValue(JSON.stringify(wish ?? null));
  const stock = item ? stockOf(item, region, gpus) : 0;
  const plan = useAsk<AllocationPlan>(
    ['plan', asked, stock],
    (options) => api.allocations.plan(JSON.parse(asked) as Wish, options),
    { enabled: asked !== 'null' && mayLaunch && isIn, keep: true },
  );
  const launch = useAct(
    'launch',
    async (order: Order, options) => {
      if (order.machines === 1) {
        const queue = order.queue && { queue: { max_wait_seconds: queueSeconds } };
        const { id } = await api.allocations.create({ ...order.wish, name: order.name, ...queue }, options);
        return { to: '/allocations/$id', id } as const;
      }
      const members = Array.from(
        { length: order.machines },
        (_, index): Wish => ({
          ...order.wish,
          name: `${order.name}-${index + 1}`,
        }),
      );
      const { id } = await api.allocationGroups.create({ name: order.name, members }, options);
      return { to: '/groups/$id', id } as const;
    },
    {
      stale: ['allocations', 'groups', 'catalog'],
      done: ({ to, id }) => void navigate({ to, params: { id } }),
    },
  );
  // A refusal belongs to one request; a changed request clears it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed request clears it
  useEffect(() => launch.reset(), [asked, machines]);

  const single = item && hourly(item, region, gpus);
  const perHour = single && timesAmount(single, machines);
  const waits = plan.data?.feasible === false;
  const isShort = machines > 1 && machines > stock;
  const ready = wish && mayLaunch && perHour && !isShort && !(waits && machines > 1);
  const order = (): void => {
    if (ready && !launch.isPending) {
      launch.mutate({ name: name.trim() || inventName(), wish, machines, queue: waits });
    }
  };
  useEffect(() => {
    const ends = [
      onKey('Control Enter', order),
      ...counts.map((count) => onKey(String(count), () => choose({ gpus: count }))),
    ];
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
              chosen={item}
              region={region}
              gpus={gpus}
              onChoose={({ sku, allowed_gpu_counts }) => choose({ sku, gpus: allowed_gpu_counts[0] ?? 1 })}
            />
          </Panel>
          {item && (
            <Panel title="Shape">
              <div className="grid gap-5 sm:grid-cols-2">
                <CountChoice item={item} region={region} value={gpus} onChoose={(count) => choose({ gpus: count })} />
                <Choice
                  label="Machines"
                  value={String(machines)}
                  options={Array.from({ length: mostMachines }, (_, index) => [
                    String(index + 1),
                    index === 0 ? '1' : `${index + 1}, as a group: all of them or none`,
                  ])}
                  onChoose={(value) => choose({ machines: Number(value) })}
                />
                <Choice
                  label="Region"
                  value={region ?? ''}
                  options={regions.map((each) => [each, `${each}: ${stockOf(item, each, gpus)} available`])}
                  onChoose={(value) => choose({ region: value })}
                />
                {images.length > 0 && (
                  <Choice
                    label="Image"
                    value={image ?? ''}
                    options={[
                      ['', defaultImage ? `Default (${defaultImage.display_name})` : 'Default'],
                      ...images.map((each) => [each.slug, each.display_name] as const),
                    ]}
                    onChoose={setImage}
                  />
                )}
                <Choice label="Ends after" value={hour} options={hours} onChoose={setHour} />
                <Choice label="When its GPUs are idle" value={idle} options={idleTimes} onChoose={setIdle} />
              </div>
            </Panel>
          )}
          <LaunchAccess
            keys={keys}
            error={own.error}
            again={() => void own.refetch()}
            unwanted={unwanted}
            onToggle={(id) => setUnwanted((known) => toggled(known, id))}
          />
        </div>
        <aside className="panel sticky top-20 grid gap-4 p-4" aria-label="Summary">
          <TextField label="Name" maxLength={100} value={name} onChange={setName} />
          {item && (
            <div>
              <p className="text-3xl font-semibold tracking-tight">
                {perHour ? spellMoney(perHour) : '—'}
                <span className="text-base font-normal text-dim"> per hour</span>
              </p>
              <p className="mt-1 text-dim">{priceSentence(perHour, hour ? Number(hour) : undefined)}</p>
            </div>
          )}
          {!mayLaunch ? (
            <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">You need the member role to launch.</p>
          ) : isShort ? (
            <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
              {counted(machines, 'machine')} of this size are requested and {stock} are available. A group is reserved
              whole or not at all.
            </p>
          ) : (
            <LaunchPlan plan={plan.data} error={plan.error} onChange={choose} />
          )}
          {launch.error && <Problem error={launch.error} />}
          <Button
            look="primary"
            icon={waits ? 'clock' : 'launch'}
            disabled={!ready}
            busy={launch.isPending}
            title="Ctrl Enter"
            onClick={order}
          >
            {waits && machines === 1 ? 'Join queue' : `Launch${perHour ? ` – ${spellMoney(perHour)}/h` : ''}`}
          </Button>
        </aside>
      </div>
    </Page>
  );
}

const toggled = (known: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(known);
  if (!next.delete(id)) next.add(id);
  return next;
};
