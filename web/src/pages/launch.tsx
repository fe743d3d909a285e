import type { AllocationPlan, CatalogItem } from '@gpuaas/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useAsk } from '../client/ask.ts';
import { letGo } from '../client/let-go.ts';
import { hasRole, useSession } from '../client/session.tsx';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { spellMoney } from '../words/money.ts';
import { counted, spellMemory } from '../words/sizes.ts';
import { hourly, inventName, priceSentence, stockOf } from '../words/wish.ts';
import { LaunchPlan } from './launch-plan.tsx';

const durations: readonly (readonly [string, number | undefined])[] = [
  ['Until I give it back', undefined],
  ['1 hour', 1],
  ['3 hours', 3],
  ['8 hours', 8],
  ['24 hours', 24],
  ['7 days', 168],
];
type Wish = Parameters<typeof api.allocations.plan>[0];
const hourSeconds = 3_600;
const queueSeconds = 24 * hourSeconds;

/** One form from wish to price. What is chosen is in the address, so a choice can be sent to a colleague. */
export function LaunchPage() {
  const session = useSession();
  const search = useSearch({ strict: false }) as { sku?: string; gpus?: string; region?: string };
  const navigate = useNavigate();
  const catalog = useAsk(['catalog'], (options) => api.catalog.list({ limit: 100 }, options), { everyMs: 15_000 });
  const keys = useAsk(['ssh-keys', 'all'], (options) => api.sshKeys.list({ limit: 100 }, options));
  const [name, setName] = useState(inventName);
  const [hours, setHours] = useState<number | undefined>(3);
  const [idleMinutes, setIdleMinutes] = useState<number | undefined>(undefined);
  const [unwanted, setUnwanted] = useState<ReadonlySet<string>>(new Set());

  const regionList = useAsk(['regions'], (options) => api.catalog.regionList({ limit: 100 }, options));
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
  const chosenKeys = (keys.data?.data ?? []).map(({ id }) => id).filter((id) => !unwanted.has(id));
  const choose = (next: { sku?: string; gpus?: number; region?: string }) => {
    const [sku, where] = [next.sku ?? item?.sku, next.region ?? region];
    letGo(
      navigate({
        to: '/launch',
        replace: true,
        search: { gpus: String(next.gpus ?? gpus), ...(sku && { sku }), ...(where && { region: where }) },
      }),
    );
  };

  const wish: Wish | undefined =
    item && region
      ? {
          sku: item.sku,
          gpus,
          region,
          ...(chosenKeys.length > 0 && { ssh_key_ids: chosenKeys }),
          ...(hours !== undefined && { max_duration_seconds: hours * hourSeconds }),
          ...(idleMinutes !== undefined && { idle: { minutes: idleMinutes, action: 'release' as const } }),
        }
      : undefined;
  const mayLaunch = hasRole(session, 'member');
  const asked = useDeferredValue(JSON.stringify(wish ?? null));
  const stock = item ? stockOf(item, region, gpus) : 0;
  const plan = useAsk<AllocationPlan>(
    ['plan', asked, stock],
    (options) => api.allocations.plan(JSON.parse(asked) as Wish, options),
    { enabled: asked !== 'null' && mayLaunch, keep: true },
  );
  const launch = useAct(
    'launch',
    (queue: boolean, options) =>
      api.allocations.create(
        {
          ...(wish as Wish),
          name: name.trim() || inventName(),
          ...(queue && { queue: { max_wait_seconds: queueSeconds } }),
        },
        options,
      ),
    {
      stale: ['allocations', 'catalog'],
      done: ({ id }) => void navigate({ to: '/allocations/$id', params: { id } }),
    },
  );
  // A refusal belongs to what was asked; once the wish is another one, it means nothing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed wish clears it
  useEffect(() => launch.reset(), [asked]);

  if (!session.project) {
    return (
      <Page title="Launch">
        <Empty icon="stack" title="You belong to no project yet">
          <p>GPUs are rented in a project. Ask an owner of your organization to add you to one.</p>
        </Empty>
      </Page>
    );
  }
  const perHour = item && hourly(item, region, gpus);
  return (
    <Page
      title="Launch"
      lead="Choose what you need. You see what it costs before anything is rented."
      shown={{ operation: 'allocation_create', input: { ...wish, name } }}
    >
      {catalog.error && <Problem error={catalog.error} again={() => void catalog.refetch()} />}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid grid-cols-1 gap-6">
          <Panel title="GPU">
            {!catalog.data && !catalog.error && <Loading rows={4} />}
            {catalog.data && items.length === 0 && (
              <Empty icon="tag" title="Nothing is offered yet">
                <p>The operator of this installation has not published any capacity.</p>
              </Empty>
            )}
            <fieldset className="grid gap-2">
              <legend className="sr-only">Kind of GPU</legend>
              {items.map((each) => (
                <SkuRow
                  key={each.sku}
                  item={each}
                  region={each === item ? region : undefined}
                  gpus={each === item ? gpus : (each.allowed_gpu_counts[0] ?? 1)}
                  checked={each === item}
                  onChoose={() => choose({ sku: each.sku, gpus: each.allowed_gpu_counts[0] ?? 1 })}
                />
              ))}
            </fieldset>
          </Panel>
          {item && (
            <Panel title="Shape">
              <div className="grid gap-5 sm:grid-cols-2">
                <fieldset>
                  <legend className="mb-1 text-sm font-medium">How many GPUs</legend>
                  <div className="flex flex-wrap gap-2">
                    {counts.map((count) => (
                      <button
                        key={count}
                        type="button"
                        aria-pressed={count === gpus}
                        onClick={() => choose({ gpus: count })}
                        className={`min-h-11 min-w-14 rounded-lg border px-3 font-semibold ${count === gpus ? 'border-accent bg-accent-soft text-accent' : 'border-line/60 hover:bg-sunk'}`}
                      >
                        {count}
                        <span className="block text-xs font-normal text-dim">{stockOf(item, region, count)} free</span>
                      </button>
                    ))}
                  </div>
                </fieldset>
                <Field label="Region">
                  {(id) => (
                    <select
                      id={id}
                      className="field"
                      value={region}
                      onChange={(event) => choose({ region: event.target.value })}
                    >
                      {regions.map((each) => (
                        <option key={each} value={each}>
                          {each}: {stockOf(item, each, gpus)} free
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                <Field label="Ends after">
                  {(id) => (
                    <select
                      id={id}
                      className="field"
                      value={hours ?? ''}
                      onChange={(event) => setHours(event.target.value ? Number(event.target.value) : undefined)}
                    >
                      {durations.map(([label, value]) => (
                        <option key={label} value={value ?? ''}>
                          {label}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                <Field label="When its GPUs are idle">
                  {(id) => (
                    <select
                      id={id}
                      className="field"
                      value={idleMinutes ?? ''}
                      onChange={(event) => setIdleMinutes(event.target.value ? Number(event.target.value) : undefined)}
                    >
                      <option value="">Keep it</option>
                      {[15, 30, 60, 240].map((minutes) => (
                        <option key={minutes} value={minutes}>
                          Give it back after {minutes} minutes
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
              </div>
            </Panel>
          )}
          <Panel title="Access">
            {keys.error ? (
              <Problem error={keys.error} again={() => void keys.refetch()} />
            ) : !keys.data ? (
              <Loading rows={2} />
            ) : keys.data.data.length === 0 ? (
              <div className="flex flex-wrap items-center justify-between gap-3">
                <p className="text-dim">You have no SSH key here yet. Without one you cannot sign in to the machine.</p>
                <ButtonLink icon="key" to="/ssh-keys">
                  Add a key
                </ButtonLink>
              </div>
            ) : (
              <fieldset className="grid grid-cols-1 gap-2">
                <legend className="sr-only">SSH keys</legend>
                {keys.data.data.map((key) => (
                  <label key={key.id} className="flex items-center gap-3">
                    <input
                      type="checkbox"
                      className="size-4 accent-accent"
                      checked={!unwanted.has(key.id)}
                      onChange={() => setUnwanted((known) => toggled(known, key.id))}
                    />
                    <bdi className="min-w-0 break-words">{key.name}</bdi>
                    <span className="min-w-0 truncate font-mono text-xs text-dim">{key.fingerprint}</span>
                  </label>
                ))}
              </fieldset>
            )}
          </Panel>
        </div>
        <aside className="panel sticky top-20 grid gap-4 p-4" aria-label="Summary">
          <Field label="Name">
            {(id) => (
              <input
                id={id}
                dir="auto"
                className="field"
                maxLength={100}
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          {item && (
            <div>
              <p className="text-3xl font-semibold tracking-tight">
                {perHour ? spellMoney(perHour) : '—'}
                <span className="text-base font-normal text-dim"> per hour</span>
              </p>
              <p className="mt-1 text-dim">{priceSentence(perHour, hours)}</p>
            </div>
          )}
          {mayLaunch ? (
            <LaunchPlan plan={plan.data} error={plan.error} onChange={choose} />
          ) : (
            <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
              You may look, but not launch: that takes the role of a member.
            </p>
          )}
          {launch.error && <Problem error={launch.error} />}
          <div className="grid gap-2">
            {plan.data && !plan.data.feasible ? (
              <Button
                look="primary"
                icon="clock"
                disabled={!wish || !mayLaunch}
                busy={launch.isPending}
                onClick={() => launch.mutate(true)}
              >
                Wait in line for it
              </Button>
            ) : (
              <Button
                look="primary"
                icon="launch"
                disabled={!wish || !mayLaunch || !perHour}
                busy={launch.isPending}
                onClick={() => launch.mutate(false)}
              >
                Launch{perHour && ` – ${spellMoney(perHour)}/h`}
              </Button>
            )}
          </div>
        </aside>
      </div>
    </Page>
  );
}

const hasStock = (item: CatalogItem): boolean => item.availability.some(({ available }) => available > 0);
/** What can be had now comes first, and of that what costs least to begin with. */
const byReach = (a: CatalogItem, b: CatalogItem): number =>
  Number(hasStock(b)) - Number(hasStock(a)) || firstHour(a) - firstHour(b);
const firstHour = (item: CatalogItem): number =>
  Number(hourly(item, undefined, item.allowed_gpu_counts[0] ?? 1)?.amount_minor ?? Number.MAX_SAFE_INTEGER);
const bestRegion = (item: CatalogItem | undefined, regions: readonly string[]): string | undefined =>
  item && [...regions].sort((a, b) => totalIn(item, b) - totalIn(item, a))[0];
const totalIn = (item: CatalogItem, region: string): number =>
  item.availability.filter((entry) => entry.region === region).reduce((sum, { available }) => sum + available, 0);
const toggled = (known: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(known);
  if (!next.delete(id)) next.add(id);
  return next;
};

function SkuRow(parts: {
  item: CatalogItem;
  region: string | undefined;
  gpus: number;
  checked: boolean;
  onChoose(): void;
}) {
  const { item, region, gpus, checked } = parts;
  const price = hourly(item, region, 1);
  const free = stockOf(item, region, gpus);
  return (
    <label
      className={`flex cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border px-3 py-3 has-focus-visible:outline-2 has-focus-visible:outline-accent ${checked ? 'border-accent bg-accent-soft' : 'border-edge hover:border-line'}`}
    >
      <input type="radio" name="sku" className="size-4 accent-accent" checked={checked} onChange={parts.onChoose} />
      <span className="min-w-0 grow basis-40">
        <span className="font-semibold">{item.display_name}</span>
        <span className="block text-sm text-dim">
          {item.gpu_model} · {spellMemory(item.gpu_memory_mib)} ·{' '}
          {item.capacity_shape === 'gpu_slice' ? 'virtual machine' : 'whole host'}
        </span>
      </span>
      <span className="flex grow items-baseline justify-between gap-4 ps-8 sm:grow-0 sm:items-center sm:ps-0">
        <span className={`text-sm font-medium whitespace-nowrap ${free > 0 ? 'text-ok' : 'text-warn'}`}>
          {free > 0 ? `● ${counted(free, 'place')} free` : '○ full'}
        </span>
        <span className="tabular text-end sm:w-28">
          {price ? spellMoney(price) : '—'}
          <span className="text-sm text-dim sm:block">
            {' '}
            per {item.billing_unit === 'gpu_hour' ? 'GPU-hour' : 'host-hour'}
          </span>
        </span>
      </span>
    </label>
  );
}
