import type { AllocationDetail } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct } from '../client/ask.ts';
import { useMay } from '../client/session.tsx';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Facts, Panel } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { spellMoney, timesAmount } from '../words/money.ts';
import { isLive } from '../words/rail.ts';
import { counted } from '../words/sizes.ts';
import { spellDuration } from '../words/time.ts';

/** The possible actions. The API says for each whether it is allowed and, if not, why not. */
export function AllocationActions({ it }: { it: AllocationDetail }) {
  const may = useMay();
  const [asking, setAsking] = useState<'release' | 'restart' | 'rename'>();
  const close = () => setAsking(undefined);
  const release = useAct(
    'release',
    (allocation_id: string, options) => api.allocations.release({ allocation_id }, options),
    { stale: ['allocation', 'allocations', 'groups', 'catalog'], done: close },
  );
  const restart = useAct(
    'restart',
    (version: number, options) => api.allocations.restart({ allocation_id: it.id }, options).then(() => version),
    { stale: ['allocation'], done: close },
  );
  const isWaiting = it.placement_status === 'queued' && it.state === 'requested';
  const button = (name: 'release' | 'restart' | 'rename', label: string, look?: 'danger') => {
    const action = it.actions.find((each) => each.action === name);
    return (
      <Button
        {...(look && { look })}
        disabled={!action?.allowed}
        title={action?.why_not ?? undefined}
        onClick={() => setAsking(name)}
      >
        {label}
      </Button>
    );
  };
  return (
    <>
      {may('terminal_token_mint') &&
        it.actions.some(({ action, allowed }) => action === 'open_terminal' && allowed) && (
          <ButtonLink look="primary" icon="terminal" to="/allocations/$id/terminal" params={{ id: it.id }}>
            Open terminal
          </ButtonLink>
        )}
      {may('allocation_update') && isLive(it.state) && button('rename', 'Rename')}
      {may('allocation_restart') && it.state === 'active' && button('restart', 'Restart')}
      {may('allocation_release') &&
        isLive(it.state) &&
        button('release', isWaiting ? 'Leave the queue' : 'Release', 'danger')}
      {asking === 'rename' && <Rename it={it} onClose={close} />}
      <Confirm
        open={asking === 'restart'}
        onClose={close}
        title={`Restart ${it.name}?`}
        verb="Restart"
        busy={restart.isPending}
        error={restart.error}
        onConfirm={() => restart.mutate(it.version)}
      >
        <p>Running programs end. The disks and the address stay.</p>
      </Confirm>
      <Confirm
        open={asking === 'release'}
        onClose={close}
        title={isWaiting ? `Take ${it.name} out of the queue?` : `Release ${it.name}?`}
        verb={isWaiting ? 'Leave the queue' : 'Release'}
        danger
        busy={release.isPending}
        error={release.error}
        onConfirm={() => release.mutate(it.id)}
      >
        {isWaiting ? (
          <p>It loses its place in the queue. It has no host yet, and nothing was charged.</p>
        ) : (
          <>
            <p>Everything on the machine is lost: its disks are wiped.</p>
            <p>The price per hour stops counting immediately.</p>
          </>
        )}
      </Confirm>
    </>
  );
}

function Rename({ it, onClose }: { it: AllocationDetail; onClose(): void }) {
  const [name, setName] = useState(it.name);
  const rename = useAct(
    'rename',
    (input: { name: string; version: number }, options) =>
      api.allocations.update({ allocation_id: it.id, ...input }, options),
    { stale: ['allocation', 'allocations', 'groups'], done: onClose },
  );
  return (
    <FormDialog
      title={`Rename ${it.name}`}
      verb="Rename"
      busy={rename.isPending}
      error={rename.error}
      onClose={onClose}
      onSubmit={() => rename.mutate({ name: name.trim(), version: it.version })}
    >
      <TextField label="Name" required maxLength={200} value={name} onChange={setName} />
    </FormDialog>
  );
}

/** What ends the allocation automatically, and how to extend it. */
export function Guards({ it }: { it: AllocationDetail }) {
  const extend = useAct(
    'extend',
    ({ seconds }: { seconds: number; version: number }, options) =>
      api.allocations.extend({ allocation_id: it.id, seconds }, options),
    { stale: ['allocation'] },
  );
  const mayExtend =
    useMay()('allocation_extend') && it.actions.some(({ action, allowed }) => action === 'extend' && allowed);
  // An allocation that has ended, or is ending, cannot be stopped any more.
  if (!isLive(it.state) || it.over) return null;
  return (
    <Panel title="Auto-stop">
      {extend.error && <Problem error={extend.error} />}
      <Facts
        rows={[
          [
            'Ends',
            it.expires_at ? (
              <Ago key="ends" at={it.expires_at} />
            ) : it.max_duration_seconds ? (
              `${spellDuration(it.max_duration_seconds * 1_000)} after it is ready`
            ) : (
              'when released'
            ),
          ],
          [
            'Idle',
            it.idle
              ? `${it.idle.action === 'release' ? 'released' : 'you are notified'} after ${counted(it.idle.minutes, 'minute')}`
              : 'nothing happens',
          ],
        ]}
      />
      {mayExtend && it.expires_at && (
        <div className="mt-3 flex flex-wrap gap-2">
          {[1, 3].map((hours) => (
            <Button
              key={hours}
              busy={extend.isPending}
              onClick={() => extend.mutate({ seconds: hours * 3_600, version: it.version })}
            >
              Extend {hours} h (+{spellMoney(timesAmount(it.price.per_hour, hours))})
            </Button>
          ))}
        </div>
      )}
    </Panel>
  );
}
