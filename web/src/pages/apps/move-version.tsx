import type { AppInstance } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Problem } from '../../parts/states.tsx';

const longestNumber = 120;

/** Moves an instance to another version of its app, or back to the one that it had. */
export function MoveVersion({ instance }: { instance: AppInstance }) {
  const [isOpen, setOpen] = useState(false);
  const [version, setVersion] = useState('');
  const of = { app_instance_id: instance.id };
  const upgrade = useAct(
    'app instance upgrade',
    (to: string, options) => api.appInstances.upgrade({ ...of, version: to }, options),
    { done: () => setOpen(false) },
  );
  const rollback = useAct('app instance rollback', (_: string, options) => api.appInstances.rollback(of, options));
  const { state } = instance;
  const isMovable = state === 'launching' || state === 'running' || state === 'stopped' || state === 'failed';
  return (
    <>
      {isMovable && instance.version_change === null && <Button onClick={() => setOpen(true)}>Upgrade</Button>}
      {isMovable && instance.previous_version !== null && instance.version_change !== 'returning' && (
        <Button busy={rollback.isPending} onClick={() => rollback.mutate(instance.id)}>
          Roll back to {instance.previous_version}
        </Button>
      )}
      {rollback.error && <Problem error={rollback.error} />}
      {isOpen && (
        <FormDialog
          title="Upgrade"
          lead="Volumes, addresses and parameters stay. If the new version does not become ready within its time, the old one comes back."
          verb="Upgrade"
          busy={upgrade.isPending}
          error={upgrade.error}
          onClose={() => setOpen(false)}
          onSubmit={() => upgrade.mutate(version)}
        >
          <TextField
            label="Version"
            hint={`It runs ${instance.app_version}.`}
            value={version}
            maxLength={longestNumber}
            required
            onChange={setVersion}
          />
        </FormDialog>
      )}
    </>
  );
}
