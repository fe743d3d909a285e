import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { Choice, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type Role, roles, tellRole } from './roles.ts';

/** Asks for an address and a role, and sends the invitation. */
export function Invite({ organizationId, onClose }: { organizationId: string; onClose(): void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const invite = useAct(
    'invite',
    (input: { email: string; role: Role }, options) =>
      api.members.invitationCreate({ organization_id: organizationId, ...input }, options),
    { stale: ['invitations'], done: onClose },
  );
  return (
    <FormDialog
      title="Invite a person"
      lead="They get an email with a link."
      verb="Invite"
      busy={invite.isPending}
      error={invite.error}
      onClose={onClose}
      onSubmit={() => invite.mutate({ email: email.trim(), role })}
    >
      <TextField label="E-mail address" type="email" required maxLength={254} value={email} onChange={setEmail} />
      <Choice
        label="Role"
        hint={tellRole(role)}
        value={role}
        options={roles.map(([name]) => [name, name])}
        onChoose={(name) => setRole(name as Role)}
      />
    </FormDialog>
  );
}
