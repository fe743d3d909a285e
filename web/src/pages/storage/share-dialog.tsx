import type { StorageObject } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { Choice } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';

const lengths = [
  [1, '1 hour'],
  [24, '1 day'],
  [72, '3 days'],
  [168, '7 days'],
  [720, '30 days'],
  [8_760, '1 year'],
] as const;

/** Makes a link to one file, and shows it once. */
export function ShareDialog({ row, onClose }: { row: StorageObject; onClose(): void }) {
  const [hours, setHours] = useState('24');
  const [url, setUrl] = useState<string>();
  const policies = useAsk(['policies', 'effective'], (options) => api.policies.list(options), { freshMs: 60_000 });
  const most = Number(policies.data?.data.find(({ key }) => key === 'storage.link_hours_max')?.value ?? 168);
  const offered = lengths.filter(([length]) => length <= most);
  const make = useAct(
    'storage link create',
    (input: { path: string; hours: number }, options) => api.storage.linkCreate(input, options),
    { stale: ['storage'], done: (made) => setUrl(made.url) },
  );
  if (url !== undefined) return <SecretDialog title={`Link to ${row.name}`} secret={url} onClose={onClose} />;
  const chosen = offered.some(([length]) => String(length) === hours) ? hours : String(Math.min(most, 24));
  return (
    <FormDialog
      title={`Share ${row.name} by link`}
      lead={
        most === 0
          ? 'Links to files are switched off here.'
          : 'Anyone who has the link can download this file without a sign-in, until the link ends.'
      }
      verb="Make the link"
      busy={make.isPending}
      ready={most > 0}
      error={make.error}
      onClose={onClose}
      onSubmit={() => make.mutate({ path: row.path, hours: Number(chosen) })}
    >
      {most > 0 && (
        <Choice
          label="Works for"
          value={chosen}
          options={
            offered.length > 0
              ? offered.map(([length, words]) => [String(length), words] as const)
              : [[String(most), `${most} hours`]]
          }
          onChoose={setHours}
        />
      )}
    </FormDialog>
  );
}
