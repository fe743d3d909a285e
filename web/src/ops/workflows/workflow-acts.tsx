import type { WorkflowAction, WorkflowDetail } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { takenBack } from '../../words/ops/workflow.ts';
import { counted, plainWord } from '../../words/sizes.ts';
import { spellClock } from '../../words/time.ts';

type Order = WorkflowAction['action'];
const labels: Readonly<Record<Order, string>> = { retry: 'Retry now', cancel: 'Cancel workflow' };

/** The actions of an operator on a run, each with its consequence before it is done. */
export function WorkflowActs({ run }: { run: WorkflowDetail }) {
  const may = useMay();
  const [asking, setAsking] = useState<Order>();
  const close = () => setAsking(undefined);
  const after = { stale: ['workflows', 'allocations', 'fleet'], done: close };
  const of = { workflow: run.workflow, run_id: run.run_id };
  const retry = useAct(
    'retry workflow',
    (reason: string, options) => api.adminWorkflows.retry({ ...of, reason }, options),
    after,
  );
  const cancel = useAct(
    'cancel workflow',
    (reason: string, options) => api.adminWorkflows.cancel({ ...of, reason }, options),
    after,
  );
  return (
    <>
      {run.actions
        .filter(({ action }) => may(`workflow_${action}`))
        .map(({ action, allowed, why_not }) => (
          <Button
            key={action}
            {...(action === 'cancel' && { look: 'danger' as const })}
            disabled={!allowed}
            title={why_not ?? undefined}
            onClick={() => setAsking(action)}
          >
            {labels[action]}
          </Button>
        ))}
      <Confirm
        open={asking === 'retry'}
        onClose={close}
        title={`Retry ${run.workflow} now?`}
        verb="Retry now"
        reason
        busy={retry.isPending}
        error={retry.error}
        onConfirm={(reason) => retry.mutate(reason)}
      >
        <RetryWords run={run} />
      </Confirm>
      <Confirm
        open={asking === 'cancel'}
        onClose={close}
        title={`Cancel ${run.workflow}?`}
        verb="Cancel workflow"
        dismiss="Keep running"
        danger
        reason
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={(reason) => cancel.mutate(reason)}
      >
        <CancelWords run={run} />
      </Confirm>
    </>
  );
}

/** Why a button is disabled, as text for people who cannot hover; an ended run needs none. */
export function WhyNot({ run }: { run: WorkflowDetail }) {
  const refused = run.ended_at ? [] : run.actions.filter(({ allowed }) => !allowed);
  if (refused.length === 0) return null;
  return (
    <ul className="text-sm text-dim">
      {refused.map(({ action, why_not }) => (
        <li key={action}>
          <span className="font-medium">Cannot be {action === 'retry' ? 'retried now' : 'cancelled'}:</span> {why_not}
        </li>
      ))}
    </ul>
  );
}

function RetryWords({ run }: { run: WorkflowDetail }) {
  const step = plainWord(run.step ?? 'its step');
  const attempts = run.plan.find(({ name }) => name === run.step)?.attempts ?? 1;
  if (run.state === 'stuck') {
    return (
      <>
        <p>
          Rolling back <b>{step}</b> is retried up to {counted(attempts, 'time')}; then the steps before it.
        </p>
        <p>Remove the cause of the failure first.</p>
      </>
    );
  }
  const tried = run.attempts.filter(({ name, work }) => name === run.step && (work === 'undo') === run.undoing);
  return (
    <p>
      {run.undoing ? 'Rolling back ' : ''}
      <b>{step}</b> is retried at once{run.until ? ` instead of at ${spellClock(run.until)}` : ''}. Attempts so far:{' '}
      {tried.length} of {attempts}.
    </p>
  );
}

function CancelWords({ run }: { run: WorkflowDetail }) {
  const back = takenBack(run);
  return (
    <>
      <p>
        {run.doing === 'waiting'
          ? 'The workflow stops waiting, and an answer that comes later is refused.'
          : 'The current attempt finishes first. No further step starts.'}
      </p>
      {back.length > 0 && (
        <p>
          Rolled back, in this order: <b>{back.map(plainWord).join(', ')}</b>.
        </p>
      )}
      <p>It ends as failed, and the person who started it is notified.</p>
    </>
  );
}
