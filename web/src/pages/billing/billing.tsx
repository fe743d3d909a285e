import type { UsageReport } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { useBalance } from '../../client/balance.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Filter } from '../../parts/filter.tsx';
import { Page } from '../../parts/page.tsx';
import { NoProject } from '../../parts/states.tsx';
import { ReleaseStory } from '../release-story.tsx';
import { BalancePanel } from './balance-panel.tsx';
import { Budgets } from './budgets.tsx';
import { CardsPanel } from './cards-panel.tsx';
import { CreditTable } from './credit-table.tsx';
import { DetailsPanel } from './details-panel.tsx';
import { Documents } from './documents-table.tsx';
import { LedgerTable } from './ledger-table.tsx';
import { PaymentNote } from './payment-note.tsx';
import { PaymentsTable } from './payments-table.tsx';
import { SpendChart } from './spend-chart.tsx';
import { UsageTable } from './usage-table.tsx';

/** Balance and spend of the organization; for people who may not see its account, the usage of their project. */
export function BillingPage() {
  const session = useSession();
  const seesAccount = useMay()('billing_balance_get');
  if (!session.project) {
    return (
      <Page title="Billing">
        <NoProject />
      </Page>
    );
  }
  return seesAccount ? (
    <AccountBilling organizationId={session.project.organization_id} />
  ) : (
    <ProjectBilling projectName={session.project.name} />
  );
}

const freshMs = 60_000;
const useAccountUsage = (organization_id: string, group_by: UsageReport['group_by']) =>
  useAsk(
    ['billing', 'usage', organization_id, group_by],
    (options) => api.billing.usageGet({ organization_id, group_by }, options),
    { freshMs, keep: true },
  );
const useProjectUsage = (group_by: (typeof choices.project_usage_get.group_by)[number]) =>
  useAsk(['billing', 'project-usage', group_by], (options) => api.billing.projectUsageGet({ group_by }, options), {
    freshMs,
    keep: true,
  });

function AccountBilling({ organizationId }: { organizationId: string }) {
  const organization_id = organizationId;
  const by = useGroups(choices.billing_usage_get.group_by);
  const { payment: paymentId } = useSearch({ strict: false }) as { payment?: string };
  const currency = useBalance().data?.balance.currency;
  const days = useAccountUsage(organization_id, 'day');
  const usage = useAccountUsage(organization_id, by);
  return (
    <Page
      title="Billing"
      lead="The balance of your organization, its spend, and its ledger. Amounts are before tax; days are in UTC."
      shown={{ operation: 'billing_usage_get', input: { organization_id, group_by: by } }}
    >
      {paymentId !== undefined && <PaymentNote paymentId={paymentId} />}
      <ReleaseStory />
      <BalancePanel organizationId={organization_id} />
      <CardsPanel organizationId={organization_id} currency={currency} />
      <Budgets organizationId={organization_id} currency={currency} />
      <SpendChart usage={days} />
      <UsageTable
        usage={usage}
        aside={<GroupFilter by={by} groups={choices.billing_usage_get.group_by} />}
        linked={false}
      />
      <CreditTable organizationId={organization_id} />
      <PaymentsTable organizationId={organization_id} />
      <Documents organizationId={organization_id} />
      <DetailsPanel organizationId={organization_id} />
      <LedgerTable organizationId={organization_id} />
    </Page>
  );
}

function ProjectBilling({ projectName }: { projectName: string }) {
  const by = useGroups(choices.project_usage_get.group_by);
  const days = useProjectUsage('day');
  const usage = useProjectUsage(by);
  return (
    <Page
      title="Billing"
      lead={
        <>
          The usage of project <bdi>{projectName}</bdi>. Owners and administrators see the balance and the ledger.
        </>
      }
      shown={{ operation: 'project_usage_get', input: { group_by: by } }}
    >
      <SpendChart usage={days} />
      <UsageTable usage={usage} aside={<GroupFilter by={by} groups={choices.project_usage_get.group_by} />} linked />
    </Page>
  );
}

/** The grouping of the table, from the address; by day by default. */
function useGroups<G extends string>(groups: readonly G[]): G | 'day' {
  const { by } = useSearch({ strict: false }) as { by?: string };
  return groups.find((each) => each === by) ?? 'day';
}

const groupNames: Readonly<Record<string, string>> = {
  ...{ project: 'project', user: 'person', sku: 'SKU', allocation: 'allocation', none: 'nothing' },
};

function GroupFilter({ by, groups }: { by: string; groups: readonly string[] }) {
  const navigate = useNavigate();
  return (
    <Filter
      label="By"
      any="day"
      value={by === 'day' ? undefined : by}
      options={groups.flatMap((each) => (each === 'day' ? [] : [[each, groupNames[each] ?? each] as const]))}
      onChoose={(next) => void navigate({ to: '/billing', replace: true, search: next ? { by: next } : {} })}
    />
  );
}
