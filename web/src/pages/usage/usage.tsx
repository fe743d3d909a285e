import type { UsagePoint, UsageReport } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Page } from '../../parts/page.tsx';
import { NoProject } from '../../parts/states.tsx';
import type { Interval } from '../../words/billing/series.ts';
import { CostChart } from './cost-chart.tsx';
import { ExportLinks } from './export-links.tsx';
import { useForecast } from './forecast.ts';
import { GroupTable } from './group-table.tsx';
import { IdlePanel } from './idle-panel.tsx';
import { Strip } from './strip.tsx';

const intervals: readonly (readonly [Interval, string])[] = [
  ['hour', 'hour'],
  ['month', 'month'],
];
const spans: Readonly<Record<Interval, number>> = { hour: 2, day: 30, month: 365 };
const groupNames: Readonly<Record<string, string>> = {
  ...{ project: 'project', user: 'person', sku: 'SKU', allocation: 'allocation', app: 'app', none: 'nothing' },
};
const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 'yyyy-mm-dd'.length);
const freshMs = 60_000;
const mostRows = 1_000;

/** What the address says: it shows the same to everybody who may see it. */
export interface UsageView {
  readonly interval: Interval;
  readonly by: string;
  readonly from: string;
  readonly to: string;
  readonly sku: string | undefined;
}
function useView(groups: readonly string[]): UsageView {
  const said = useSearch({ strict: false }) as { by?: string; interval?: string; days?: string; sku?: string };
  const interval = (['hour', 'month'] as const).find((each) => each === said.interval) ?? 'day';
  const by = groups.find((each) => each === said.by) ?? 'sku';
  const days = Math.min(400, Math.max(1, Number.parseInt(said.days ?? '', 10) || spans[interval]));
  const today = Date.parse(dayOf(Date.now()));
  const length = interval === 'hour' ? Math.min(days, 7) : days;
  return { interval, by, from: dayOf(today - (length - 1) * dayMs), to: dayOf(today), sku: said.sku };
}

/** Usage and cost: a chart over time, what is to come, what was idle, and a table with every figure. */
export function UsagePage() {
  const session = useSession();
  const seesAccount = useMay()('billing_usage_list');
  if (!session.project) {
    return (
      <Page title="Usage and cost">
        <NoProject />
      </Page>
    );
  }
  return seesAccount ? (
    <AccountUsage organizationId={session.project.organization_id} />
  ) : (
    <ProjectUsage projectName={session.project.name} />
  );
}

function AccountUsage({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const view = useView(choices.billing_usage_list.group_by);
  const input = { organization_id, ...inputOf(view), group_by: view.by as 'sku' };
  const usage = useAsk(
    ['billing', 'series', input],
    (options) =>
      answerOf(
        api.billing.usageList({ ...input, limit: mostRows }, options),
        api.billing.usageGet({ organization_id, ...totalsOf(view), group_by: input.group_by }, options),
      ),
    { freshMs, keep: true },
  );
  const forecast = useForecast(organization_id);
  return (
    <Page
      title="Usage and cost"
      lead="What your organization used, before tax. Days are in UTC."
      actions={<ExportLinks organizationId={organization_id} view={view} />}
      shown={{ operation: 'billing_usage_list', input }}
    >
      <Strip organizationId={organization_id} />
      <CostChart
        view={view}
        usage={usage}
        ahead={view.interval === 'day' && view.sku === undefined ? forecast.data : undefined}
        aside={<Filters view={view} groups={choices.billing_usage_list.group_by} />}
      />
      <GroupTable view={view} usage={usage} />
      <IdlePanel organizationId={organization_id} />
    </Page>
  );
}

function ProjectUsage({ projectName }: { projectName: string }) {
  const view = useView(choices.project_usage_list.group_by);
  const input = { ...inputOf(view), group_by: view.by as 'sku' };
  const usage = useAsk(
    ['billing', 'project-series', input],
    (options) =>
      answerOf(
        api.billing.projectUsageList({ ...input, limit: mostRows }, options),
        api.billing.projectUsageGet({ ...totalsOf(view), group_by: input.group_by }, options),
      ),
    { freshMs, keep: true },
  );
  return (
    <Page
      title="Usage and cost"
      lead={
        <>
          What project <bdi>{projectName}</bdi> used, before tax. Days are in UTC.
        </>
      }
      shown={{ operation: 'project_usage_list', input }}
    >
      <CostChart
        view={view}
        usage={usage}
        ahead={undefined}
        aside={<Filters view={view} groups={choices.project_usage_list.group_by} />}
      />
      <GroupTable view={view} usage={usage} />
    </Page>
  );
}

/** The points that are drawn, and the sums over all of them. */
export interface UsageAnswer {
  readonly points: readonly UsagePoint[];
  /** Whether there are more points than are drawn. */
  readonly isCut: boolean;
  readonly totals: UsageReport;
}
async function answerOf(
  series: PromiseLike<{ readonly data: readonly UsagePoint[]; readonly has_more: boolean }>,
  report: Promise<UsageReport>,
): Promise<UsageAnswer> {
  const [{ data, has_more }, totals] = await Promise.all([series, report]);
  return { points: data, isCut: has_more, totals };
}
const totalsOf = ({ from, to, sku }: UsageView) => ({ from, to, ...(sku && { sku }) });
const inputOf = ({ interval, from, to, sku }: UsageView) => ({ interval, from, to, ...(sku && { sku }) });

function Filters({ view, groups }: { view: UsageView; groups: readonly string[] }) {
  const navigate = useNavigate();
  const said = useSearch({ strict: false }) as Record<string, string | undefined>;
  const go = (change: Record<string, string | undefined>) =>
    void navigate({
      to: '/usage',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...said, ...change }).filter(([, value]) => value)),
    });
  return (
    <span className="flex flex-wrap gap-3">
      <Filter
        label="By"
        any="SKU"
        value={view.by === 'sku' ? undefined : view.by}
        options={groups.filter((each) => each !== 'sku').map((each) => [each, groupNames[each] ?? each])}
        onChoose={(by) => go({ by })}
      />
      <Filter
        label="Each"
        any="day"
        value={view.interval === 'day' ? undefined : view.interval}
        options={intervals}
        onChoose={(interval) => go({ interval, days: undefined })}
      />
      <Filter
        label="Last"
        any={view.interval === 'hour' ? '2 days' : view.interval === 'month' ? 'year' : '30 days'}
        value={said['days']}
        options={[
          ['7', '7 days'],
          ...(view.interval === 'hour' ? [] : ([['90', '90 days'] as const, ['365', 'year'] as const] as const)),
        ]}
        onChoose={(days) => go({ days })}
      />
      {view.sku && (
        <button type="button" className="text-sm text-accent underline" onClick={() => go({ sku: undefined })}>
          Only {view.sku}: show all
        </button>
      )}
    </span>
  );
}
