import type { AllocationDetail, NewStorageToken, StorageToken } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useAsk } from '../client/ask.ts';
import { useNames } from '../client/names.ts';
import { useMay } from '../client/session.tsx';
import { Button } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { Choice } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Panel } from '../parts/page.tsx';
import { Removal } from '../parts/removal.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';

/** What a shell in the machine needs so that `gpuaas cp` and `gpuaas sync` work there. */
const linesFor = ({ base_url, project_id, token }: NewStorageToken): string =>
  [
    `export GPUAAS_BASE_URL=${base_url}`,
    `export GPUAAS_PROJECT=${project_id}`,
    `export GPUAAS_TOKEN=${token}`,
    'gpuaas cp model.bin storage:checkpoints/run-1/',
  ].join('\n');

/** Tokens with which the machine of an allocation uses the files of the project, until the allocation ends. */
export function StoragePanel({ it }: { it: AllocationDetail }) {
  const may = useMay();
  const nameOf = useNames();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewStorageToken>();
  const [going, setGoing] = useState<StorageToken>();
  const tokens = useAsk(['storage', 'tokens', it.id, it.state], (options) =>
    api.storage.tokenList({ allocation_id: it.id, limit: 50 }, options),
  );
  const isRunning = it.state === 'requested' || it.state === 'provisioning' || it.state === 'active';
  const rows = tokens.data?.data.filter(({ works }) => works) ?? [];
  if (!isRunning || (rows.length === 0 && !may('storage_token_create'))) return null;
  return (
    <Panel
      title="Files of the project"
      aside={may('storage_token_create') && <Button onClick={() => setMaking(true)}>New storage token</Button>}
    >
      <div className="grid gap-3">
        {tokens.error && <Problem error={tokens.error} again={() => void tokens.refetch()} />}
        {rows.length === 0 ? (
          <p className="text-dim">
            A storage token opens the files of the project from inside of the machine. It ends with the allocation.
          </p>
        ) : (
          <ul className="grid gap-2">
            {rows.map((row) => (
              <li key={row.id} className="flex flex-wrap items-center justify-between gap-2">
                <span className="flex flex-wrap items-center gap-2">
                  <Chip tone="ok">{row.level === 'write' ? 'read and write' : 'read'}</Chip>
                  <span className="text-dim">
                    by {nameOf(row.created_by)}, <Ago at={row.created_at} />
                  </span>
                </span>
                {may('storage_token_revoke') && (
                  <Button look="danger" onClick={() => setGoing(row)}>
                    Revoke
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
      {making && <NewToken allocationId={it.id} onClose={() => setMaking(false)} onMade={setMade} />}
      {made && (
        <SecretDialog title="Paste this into the machine" secret={linesFor(made)} onClose={() => setMade(undefined)} />
      )}
      <Removal
        it={going}
        name="storage token revoke"
        title={() => 'Revoke this storage token?'}
        verb="Revoke"
        act={({ id: storage_token_id, allocation_id }, options) =>
          api.storage.tokenRevoke({ allocation_id, storage_token_id }, options)
        }
        stale={['storage']}
        onClose={() => setGoing(undefined)}
      >
        <p>Programs that use it are refused from their next request on.</p>
      </Removal>
    </Panel>
  );
}

function NewToken(parts: { allocationId: string; onClose(): void; onMade(made: NewStorageToken): void }) {
  const [level, setLevel] = useState<'read' | 'write'>('write');
  const make = useAct(
    'storage token create',
    (input: { level: 'read' | 'write' }, options) =>
      api.storage.tokenCreate({ allocation_id: parts.allocationId, ...input }, options),
    {
      stale: ['storage'],
      done: (made) => {
        parts.onClose();
        parts.onMade(made);
      },
    },
  );
  return (
    <FormDialog
      title="New storage token"
      lead="For programs in the machines of this allocation. It opens the files of the project and nothing else."
      verb="Make the token"
      busy={make.isPending}
      error={make.error}
      onClose={parts.onClose}
      onSubmit={() => make.mutate({ level })}
    >
      <Choice
        label="Right"
        value={level}
        options={[
          ['write', 'Read and write'],
          ['read', 'Read'],
        ]}
        onChoose={(next) => setLevel(next as 'read' | 'write')}
      />
    </FormDialog>
  );
}
