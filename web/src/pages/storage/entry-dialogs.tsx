import type { StorageObject } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Removal } from '../../parts/removal.tsx';
import { copyName, folderOf, spellSize } from '../../words/files.ts';
import { PreviewDialog } from './preview-dialog.tsx';
import { ShareDialog } from './share-dialog.tsx';

/** What a person has chosen to do in a folder. */
export type Choice =
  | { readonly kind: 'folder' }
  | { readonly kind: 'preview' | 'share' | 'move' | 'copy' | 'delete'; readonly row: StorageObject };
interface Place {
  readonly folder: string;
  readonly owner: string | undefined;
  onClose(): void;
}
const longestPath = 1_024;
const stale = ['storage'];
const of = (owner: string | undefined) => (owner === undefined ? {} : { owner_project_id: owner });

export function EntryDialogs({ chosen, ...place }: Place & { chosen: Choice }) {
  switch (chosen.kind) {
    case 'folder':
      return <NewFolder {...place} />;
    case 'preview':
      return <PreviewDialog row={chosen.row} owner={place.owner} onClose={place.onClose} />;
    case 'share':
      return <ShareDialog row={chosen.row} onClose={place.onClose} />;
    case 'move':
      return <Move row={chosen.row} {...place} />;
    case 'copy':
      return <Copy row={chosen.row} {...place} />;
    case 'delete':
      return <Delete row={chosen.row} {...place} />;
  }
}

function NewFolder({ folder, owner, onClose }: Place) {
  const [name, setName] = useState('');
  const make = useAct(
    'storage folder create',
    (path: string, options) => api.storage.folderCreate({ path, ...of(owner) }, options),
    { stale, done: onClose },
  );
  return (
    <FormDialog
      title="New folder"
      lead={`In ${folder}`}
      verb="Create"
      busy={make.isPending}
      error={make.error}
      onClose={onClose}
      onSubmit={() => make.mutate(`${folder}${name.trim().normalize('NFC')}/`)}
    >
      <TextField label="Name" required maxLength={255} value={name} onChange={setName} />
    </FormDialog>
  );
}

const whole = (row: StorageObject): string => row.path.replace(/\/$/, '');

function Move({ row, owner, onClose }: Place & { row: StorageObject }) {
  const [to, setTo] = useState(whole(row));
  const move = useAct(
    'storage object move',
    (goal: string, options) => api.storage.objectMove({ from: row.path, to: goal, ...of(owner) }, options),
    { stale, done: onClose },
  );
  return (
    <FormDialog
      title={`Rename or move ${row.name}`}
      verb="Move"
      busy={move.isPending}
      ready={to.trim() !== whole(row)}
      error={move.error}
      onClose={onClose}
      onSubmit={() => move.mutate(to.trim().normalize('NFC'))}
    >
      <TextField
        label="New path"
        hint="Within the same namespace. Folders on the way are made."
        required
        maxLength={longestPath}
        value={to}
        onChange={setTo}
      />
    </FormDialog>
  );
}

function Copy({ row, owner, onClose }: Place & { row: StorageObject }) {
  const [to, setTo] = useState(`${folderOf(row.path)}${copyName(row.name)}`);
  const copy = useAct(
    'storage object copy',
    (goal: string, options) => api.storage.objectCopy({ from: row.path, to: goal, ...of(owner) }, options),
    { stale, done: onClose },
  );
  return (
    <FormDialog
      title={`Copy ${row.name}`}
      verb="Copy"
      busy={copy.isPending}
      error={copy.error}
      onClose={onClose}
      onSubmit={() => copy.mutate(to.trim().normalize('NFC'))}
    >
      <TextField
        label="Path of the copy"
        hint={`In any namespace of the project. It counts towards the quota with ${spellSize(row.size_bytes)}.`}
        required
        maxLength={longestPath}
        value={to}
        onChange={setTo}
      />
    </FormDialog>
  );
}

function Delete({ row, owner, onClose }: Place & { row: StorageObject }) {
  return (
    <Removal
      it={row}
      name="storage object delete"
      title={({ name }) => `Delete ${name}?`}
      verb="Move to the trash"
      act={({ path, is_folder }, options) =>
        api.storage.objectDelete({ path, ...of(owner), ...(is_folder && { recursive: true }) }, options)
      }
      stale={stale}
      onClose={onClose}
    >
      <p>
        {row.is_folder
          ? 'Everything in the folder goes to the trash. Its files can be restored from there for some days.'
          : 'It goes to the trash and can be restored from there for some days.'}
      </p>
    </Removal>
  );
}
