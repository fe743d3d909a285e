import type { HealthFinding } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { Chip, type Tone } from '../parts/chip.tsx';
import { RunbookLink } from '../parts/operators/runbook-link.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { findStuck, type ShownFinding, spellValue, stuckAsked } from '../words/health/findings.ts';
import { plainWord } from '../words/sizes.ts';
import { spellClock } from '../words/time.ts';
import { Alerts } from './alerts.tsx';
import { Breakers } from './breakers.tsx';

const tones: Readonly<Record<HealthFinding['status'], Tone>> = { ok: 'ok', warn: 'warn', bad: 'bad' };
const said: Readonly<Record<HealthFinding['status'], string>> = {
  ok: 'No problems.',
  warn: 'There are warnings.',
  bad: 'There are problems.',
};
const banners: Readonly<Record<HealthFinding['status'], string>> = {
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
};
const sections = [
  ['processes', 'Processes'],
  ['database', 'Database'],
  ['events', 'Events'],
  ['fleet', 'Fleet'],
  ['audit', 'Audit'],
] as const;
/** The page where an operator can act on it. */
const remedies: Readonly<Record<string, { readonly to: string; readonly search?: Record<string, string> }>> = {
  outbox_age: { to: '/ops/events', search: { box: 'outbox' } },
  dead_letters: { to: '/ops/events', search: { box: 'dead' } },
  alerts_blocking: { to: '/ops' },
  alerts_informing: { to: '/ops' },
  lost_nodes: { to: '/ops/nodes', search: { state: 'offline' } },
  silent_nodes: { to: '/ops/nodes', search: { state: 'active' } },
  certificates_expiring: { to: '/ops/nodes' },
  audit_unsealed: { to: '/ops/audit' },
  stuck_workflows: { to: '/ops/workflows', search: { state: 'stuck' } },
};

/** A consumer is behind because it cannot handle an event, or because it is not running. */
const remedyOfLag = (name: string) =>
  name.startsWith('lag_of_') ? { to: '/ops/events', search: { box: 'dead' } } : undefined;

/** The health of the platform itself. */
export function HealthPage() {
  const health = useAsk(['health'], (options) => api.adminOps.platformHealthGet(options), { everyMs: 10_000 });
  const stuck = useAsk(
    ['workflows', 'stuck'],
    (options) => api.adminWorkflows.list({ state: 'stuck', limit: stuckAsked }, options),
    { everyMs: 30_000 },
  );
  const alerts = useAsk(
    ['health', 'alerts'],
    async (options) => (await api.adminAlerts.list({ limit: 50 }, options)).data,
    { everyMs: 10_000 },
  );
  // The pages of one release never change while it runs.
  const runbooks = useAsk(['runbooks'], async (options) => (await api.adminOps.runbookList({}, options)).data);
  const findings: ShownFinding[] = [...(health.data?.findings ?? []), ...findStuck(stuck)];
  const status = findings.some((finding) => finding.status === 'bad') ? 'bad' : (health.data?.status ?? 'ok');
  return (
    <Page
      title="Health"
      lead="The platform itself: its processes, its database, its events and its fleet."
      actions={
        <Button busy={health.isFetching} onClick={() => void health.refetch()}>
          Refresh
        </Button>
      }
      shown={{ operation: 'platform_health_get' }}
    >
      {health.error && <Problem error={health.error} again={() => void health.refetch()} />}
      {!health.data ? (
        !health.error && (
          <div className="panel">
            <Loading rows={8} label="Loading the health" />
          </div>
        )
      ) : (
        <>
          <p role="status" className={`flex flex-wrap gap-x-3 rounded-lg px-4 py-3 ${banners[status]}`}>
            <span className="font-semibold">{said[status]}</span>
            <span className="ms-auto">
              Version {health.data.version}, checked {spellClock(health.data.checked_at)}
            </span>
          </p>
          <Breakers />
          {alerts.data && alerts.data.length > 0 && (
            <Panel title="Alerts">
              <Alerts alerts={alerts.data} runbooks={runbooks.data} />
            </Panel>
          )}
          <div className="grid items-start gap-6 lg:grid-cols-2">
            {sections.map(([section, title]) => (
              <Panel key={section} title={title}>
                <ul className="grid gap-3">
                  {findings
                    .filter((finding) => finding.section === section)
                    .map((finding) => (
                      <Finding key={finding.name} finding={finding} />
                    ))}
                </ul>
              </Panel>
            ))}
          </div>
        </>
      )}
    </Page>
  );
}

function Finding({ finding }: { finding: ShownFinding }) {
  const remedy = finding.status === 'ok' ? undefined : (remedies[finding.name] ?? remedyOfLag(finding.name));
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4">
      <span>
        <span className="font-medium">{titleOf(finding.name)}</span>
        <span className="block text-sm text-dim">{finding.message}</span>
        <span className="flex flex-wrap gap-x-4">
          {remedy && (
            <Link
              to={remedy.to}
              {...(remedy.search && { search: remedy.search })}
              className="text-sm text-accent underline underline-offset-2"
            >
              Open
            </Link>
          )}
          {finding.runbook && <RunbookLink id={finding.runbook} />}
        </span>
      </span>
      <span className="flex items-center gap-2">
        <span className="tabular whitespace-nowrap">{spellValue(finding)}</span>
        <Chip tone={tones[finding.status]}>{finding.status}</Chip>
      </span>
    </li>
  );
}

const titleOf = (name: string): string => {
  const words = plainWord(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
