import type { Me } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import type { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Removal } from '../../parts/removal.tsx';
import { NameField, useNameAndSlug } from './project-dialogs.tsx';
import { stale } from './stale.ts';

type Organization = Me['organizations'][number];

/** The buttons of one organization. Deleting is offered once it has no projects, because the API refuses it before. */
export function OrganizationActs(parts: {
  organization: Organization;
  isEmpty: boolean;
  may: ReturnType<typeof useMay>;
}) {
  const { organization, may } = parts;
  const [asking, setAsking] = useState<'rename' | 'delete'>();
  const close = () => setAsking(undefined);
  return (
    <div className="flex flex-wrap gap-2">
      {may('organization_update') && <Button onClick={() => setAsking('rename')}>Rename organization</Button>}
      {parts.isEmpty && may('organization_delete') && (
        <Button look="danger" onClick={() => setAsking('delete')}>
          Delete organization
        </Button>
      )}
      {asking === 'rename' && <RenameOrganization organization={organization} onClose={close} />}
      <Removal
        it={asking === 'delete' ? organization : undefined}
        name="organization delete"
        title={({ name }) => `Delete ${name} for good?`}
        verb="Delete"
        act={({ id: organization_id }, options) => api.organizations.delete({ organization_id }, options)}
        stale={stale}
        onClose={close}
      >
        <p>Its members lose their access. This cannot be undone.</p>
      </Removal>
    </div>
  );
}

function RenameOrganization({ organization, onClose }: { organization: Organization; onClose(): void }) {
  const [name, setName] = useState(organization.name);
  const rename = useAct(
    'organization rename',
    (input: { name: string }, options) =>
      api.organizations.update({ organization_id: organization.id, ...input }, options),
    { stale, done: onClose },
  );
  return (
    <FormDialog
      title={`Rename ${organization.name}`}
      verb="Rename"
      busy={rename.isPending}
      error={rename.error}
      onClose={onClose}
      onSubmit={() => rename.mutate({ name: name.trim() })}
    >
      <NameField value={name} onChange={setName} />
    </FormDialog>
  );
}

export function NewOrganization({ onClose, onMade }: { onClose(): void; onMade(id: string): void }) {
  const { values, fields } = useNameAndSlug();
  const create = useAct(
    'organization create',
    (input: { name: string; slug: string }, options) => api.organizations.create(input, options),
    {
      stale,
      done: ({ id }) => {
        onMade(id);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="New organization"
      lead="It has its own members, balance and projects. You become its owner."
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
