import type { WorkflowDetail, WorkflowStep } from '@gpuaas/sdk';
import { useParams } from '@tanstack/react-router';
import { api, isAbsent } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Chip, StateChip } from '../../parts/chip.tsx';
import { Copy } from '../../parts/copy.tsx';
import { CorrelationId } from '../../parts/correlation.tsx';
import { Facts, Page, Panel } from '../../parts/page.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { counted, plainWord } from '../../words/sizes.ts';
import { spellOffset } from '../../words/story.ts';
import { WhyNot, WorkflowActs } from './workflow-acts.tsx';

const ends = { ok: 'ok', halt: 'warn', failed: 'bad' } as const;
const works = { do: 'done', ask: 'asked', undo: 'compensated' } as const;

/** One run: its plan, and the attempts of each step. */
export function WorkflowPage() {
  const { workflow, id } = useParams({ strict: false }) as { workflow: string; id: string };
  const run = useAsk(
    ['workflows', workflow, id],
    (options) => api.adminWorkflows.get({ workflow, run_id: id }, options),
    {
      everyMs: 15_000,
    },
  );
  if (run.error && !run.data) {
    return (
      <Page title={workflow}>
        {isAbsent(run.error) ? (
          <Empty icon="clock" title="No such run">
            <p>It may be older than the retention time.</p>
            <ButtonLink to="/ops/workflows">All workflows</ButtonLink>
          </Empty>
        ) : (
          <Problem error={run.error} again={() => void run.refetch()} />
        )}
      </Page>
    );
  }
  if (!run.data) return <Loading rows={8} label="Loading the run" />;
  return <Detail run={run.data} />;
}

function Detail({ run }: { run: WorkflowDetail }) {
  return (
    <Page
      title={run.workflow}
      lead={<StateChip state={run.state} />}
      actions={
        <>
          {!run.ended_at && <WorkflowActs run={run} />}
          <ButtonLink to="/ops/workflows">All workflows</ButtonLink>
        </>
      }
      shown={{ operation: 'workflow_get', input: { workflow: run.workflow, run_id: run.run_id } }}
    >
      {run.reason && (
        <p
          className={`rounded-lg px-4 py-3 ${run.state === 'stuck' ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn'}`}
        >
          {run.reason}
        </p>
      )}
      <WhyNot run={run} />
      <Panel title="The run">
        <Facts
          rows={[
            ['Id', <Copy key="id" text={run.run_id} label="the id" />],
            ['Version', String(run.version)],
            ['Began', <Ago key="began" at={run.began_at} />],
            ['Ended', run.ended_at ? <Ago key="ended" at={run.ended_at} /> : 'not yet'],
            ...(run.correlation_id
              ? ([['Trace', <CorrelationId key="story" id={run.correlation_id} />]] as const)
              : []),
          ]}
        />
      </Panel>
      <Orders run={run} />
      <Panel title="Steps" aside={<span className="text-sm text-dim">{counted(run.plan.length, 'step')}</span>}>
        <ol className="grid gap-3">
          {run.plan.map((step, index) => (
            <li key={step.name} className="grid gap-1 border-b border-edge pb-3 last:border-0 last:pb-0">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="tabular w-6 text-dim">{index + 1}.</span>
                <span className="font-medium">{plainWord(step.name)}</span>
                {run.doing && run.step === step.name && <Doing run={run} />}
                <span className="text-sm text-dim">
                  {howOf(step)}
                  {step.undoes ? '' : '; nothing to roll back'}
                </span>
              </p>
              <Attempts run={run} attempts={run.attempts.filter(({ name }) => name === step.name)} />
            </li>
          ))}
        </ol>
      </Panel>
    </Page>
  );
}

const doings = {
  queued: 'waits for a worker',
  working: 'running',
  pausing: 'retrying',
  waiting: 'waiting for an answer',
  stuck: 'could not be rolled back',
} as const;

function Doing({ run: { doing, until, undoing } }: { run: WorkflowDetail }) {
  if (!doing) return null;
  return (
    <Chip tone={doing === 'stuck' ? 'bad' : 'busy'}>
      <span>
        {undoing && doing === 'working' ? 'rolling back' : doings[doing]}
        {doing === 'waiting' && ', expires'} {until && <Ago at={until} />}
      </span>
    </Chip>
  );
}

/** Requests of operators, each with its reason. */
function Orders({ run }: { run: WorkflowDetail }) {
  if (run.orders.length === 0) return null;
  return (
    <Panel title="Requested by operators">
      <ul className="grid gap-2">
        {run.orders.map(({ action, by, reason, at }) => (
          <li key={`${action} ${at}`} className="grid gap-x-3 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
            <span className="font-medium">{action === 'retry' ? 'Retry now' : 'Cancel workflow'}</span>
            <span className="break-words">
              <bdi>{reason}</bdi>
              <span className="block font-mono text-xs break-all text-dim">{by}</span>
            </span>
            <Ago at={at} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const howOf = ({ kind, attempts }: WorkflowDetail['plan'][number]): string => {
  if (kind === 'failure') return 'only when a later step fails';
  return kind === 'wait' ? 'asks and waits' : `tried ${counted(attempts, 'time')} at most`;
};

function Attempts({ run, attempts }: { run: WorkflowDetail; attempts: readonly WorkflowStep[] }) {
  if (attempts.length === 0) return null;
  const since = (at: string) => Date.parse(at) - Date.parse(run.began_at);
  return (
    <ul className="ms-9 grid gap-1 text-sm">
      {attempts.map((attempt, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: attempts are only ever added at the end
        <li key={index} className="flex flex-wrap items-center gap-x-3">
          <Chip tone={ends[attempt.end]}>{attempt.end === 'ok' ? works[attempt.work] : attempt.end}</Chip>
          <span className="tabular text-dim">
            {spellOffset(since(attempt.began_at))}, took{' '}
            {spellOffset(since(attempt.ended_at) - since(attempt.began_at)).slice(1)}
          </span>
          {attempt.work === 'undo' && attempt.end !== 'ok' && <span className="text-dim">during rollback</span>}
          {attempt.reason && <span className="text-bad">{attempt.reason}</span>}
        </li>
      ))}
    </ul>
  );
}
