import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct } from '../client/ask.ts';
import { TextField } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';

/** The display name of a person; empty: their name on hosts. */
export function NameDialog({ name, onClose }: { name: string; onClose(): void }) {
  const [text, setText] = useState(name);
  const rename = useAct(
    'display name',
    (display_name: string | null, options) => api.me.update({ display_name }, options),
    { stale: ['me', 'members'], done: onClose },
  );
  return (
    <FormDialog
      title="Your name"
      lead="Members of your organizations see it instead of your username."
      verb="Save"
      busy={rename.isPending}
      error={rename.error}
      onClose={onClose}
      onSubmit={() => rename.mutate(text.trim() || null)}
    >
      <TextField label="Name" maxLength={200} value={text} onChange={setText} />
    </FormDialog>
  );
}
