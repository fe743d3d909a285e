import type { Project } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { slugOf } from '../../words/sizes.ts';
import { stale } from './stale.ts';

/** As long as the API allows. */
const longestName = 200;
const longestSlug = 63;

/** A name, and a slug that follows from it until the person types another one. */
export function useNameAndSlug() {
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<string>();
  const slug = typed ?? slugOf(name);
  return {
    values: { name: name.trim(), slug },
    fields: (
      <>
        <NameField value={name} onChange={setName} />
        <TextField
          label="Slug"
          hint="Small letters, digits and dashes. The command line uses it. It cannot be changed later."
          required
          maxLength={longestSlug}
          value={slug}
          onChange={setTyped}
        />
      </>
    ),
  };
}

export const NameField = (parts: { value: string; onChange(value: string): void }) => (
  <TextField label="Name" required maxLength={longestName} {...parts} />
);

export function NewProject({ organizationId, onClose }: { organizationId: string; onClose(): void }) {
  const { values, fields } = useNameAndSlug();
  const create = useAct(
    'project create',
    (input: { name: string; slug: string }, options) =>
      api.projects.create({ organization_id: organizationId, ...input }, options),
    { stale, done: onClose },
  );
  return (
    <FormDialog
      title="New project"
      verb="Create"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() => create.mutate(values)}
    >
      {fields}
    </FormDialog>
  );
}

export function RenameProject({ project, onClose }: { project: Project; onClose(): void }) {
  const [name, setName] = useState(project.name);
  const rename = useAct(
    'project rename',
    (input: { name: string; version: number }, options) =>
      api.projects.update({ project_id: project.id, ...input }, options),
    { stale, done: onClose },
  );
  return (
    <FormDialog
      title={`Rename ${project.name}`}
      verb="Rename"
      busy={rename.isPending}
      error={rename.error}
      onClose={onClose}
      onSubmit={() => rename.mutate({ name: name.trim(), version: project.version })}
    >
      <NameField value={name} onChange={setName} />
    </FormDialog>
  );
}
