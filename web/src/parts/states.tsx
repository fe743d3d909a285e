import { GpuaasError, GpuaasUnreachable } from '@gpuaas/sdk';
import type { ReactNode } from 'react';
import { titleOfProblem } from '../client/problems.ts';
import { type StepUpWay, useStepUp } from '../client/step-up.ts';
import { Button, ButtonLink } from './button.tsx';
import { CorrelationId } from './correlation.tsx';
import { Icon, type IconName } from './icon.tsx';

/** A placeholder in the shape of the content, so that nothing jumps. */
export function Loading({ rows = 3, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div role="status" aria-label={label} className="grid gap-3 p-4">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows that mean nothing have no other name
        <div key={index} className="skeleton h-6" style={{ width: `${92 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-3 px-6 py-12 text-center">
      <span className="grid size-12 place-items-center rounded-full bg-sunk text-dim">
        <Icon name={icon} size={22} />
      </span>
      <h2 className="text-base font-semibold">{title}</h2>
      {children && <div className="grid max-w-prose justify-items-center gap-3 text-dim">{children}</div>}
    </div>
  );
}

/** For a person without a project. */
export const NoProject = () => (
  <div className="panel">
    <Empty icon="stack" title="You are not in a project yet">
      <p>
        GPUs belong to a project. Create one, or ask an administrator of your organization for an invitation and open
        the link in the email.
      </p>
      <ButtonLink look="primary" to="/projects">
        Go to projects
      </ButtonLink>
    </Empty>
  </div>
);

/**
 * What went wrong, what to do, and the correlation id. `goOn` repeats a request that was refused for lack of a recent
 * sign-in, once the person has confirmed their identity.
 */
export function Problem({
  error,
  again,
  goOn,
  ...named
}: {
  error: unknown;
  again?: () => void;
  goOn?: () => void;
  title?: string;
}) {
  const { message, id, ...explained } = explain(error);
  const title = named.title ?? explained.title;
  if (error instanceof GpuaasError && error.code === 'step_up_required') {
    const wantsFactor = (error.details as { second_factor?: boolean } | undefined)?.second_factor === true;
    return <StepUp goOn={goOn} way={wantsFactor ? 'second-factor' : 'password'} />;
  }
  return (
    <div role="alert" className="rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-bad">
      <p className="font-semibold">{title}</p>
      <p>{message}</p>
      <div className="mt-2 flex flex-wrap items-center gap-3 text-sm empty:hidden">
        {again && <Button onClick={again}>Try again</Button>}
        {id && <CorrelationId id={id} />}
      </div>
    </div>
  );
}

function StepUp({ goOn, way }: { goOn: (() => void) | undefined; way: StepUpWay }) {
  const stepUp = useStepUp(way, () => goOn?.());
  return (
    <div role="alert" className="grid justify-items-start gap-2 rounded-lg border border-edge bg-sunk px-4 py-3">
      <p className="font-semibold">
        {stepUp.state === 'confirmed' ? 'Identity confirmed' : 'Confirm your identity to continue'}
      </p>
      <p>
        {stepUp.state === 'confirmed'
          ? goOn
            ? 'Continuing.'
            : 'Repeat the action now.'
          : 'This action needs a recent sign-in. What you entered here is kept.'}
      </p>
      {stepUp.state !== 'confirmed' && (
        <Button look="primary" onClick={stepUp.ask}>
          {stepUp.state === 'waiting' ? 'Open the sign-in window again' : 'Confirm your identity'}
        </Button>
      )}
    </div>
  );
}

function explain(error: unknown): { title: string; message: string; id: string | undefined } {
  if (error instanceof GpuaasError) {
    return { title: titleOfProblem(error), message: error.message, id: error.correlationId };
  }
  if (error instanceof GpuaasUnreachable) {
    return {
      title: "Can't reach the server",
      message: 'The server or the network is unavailable. Nothing was changed.',
      id: undefined,
    };
  }
  return { title: 'Error on this page', message: error instanceof Error ? error.message : '', id: undefined };
}
