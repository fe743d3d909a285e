import type { Member } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { callName } from '../../client/names.ts';
import { may, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Page } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { Invitations } from './invitations.tsx';
import { Invite } from './invite.tsx';
import { article, type Role, roles, tellRole } from './roles.ts';

interface Change {
  readonly member: Member;
  readonly role: Role;
}

/** The members of the organization and their roles. */
export function TeamPage() {
  const session = useSession();
  const organization = session.me.organizations.find(({ id }) => id === session.project?.organization_id);
  const organization_id = organization?.id ?? '';
  const mayChange = may(session, 'member_update');
  const members = useList(
    ['members', organization_id],
    (from, options) => api.members.list({ organization_id, ...from }, options),
    { enabled: organization_id !== '' },
  );
  const [inviting, setInviting] = useState(false);
  const [going, setGoing] = useState<Member>();
  const [changing, setChanging] = useState<Change>();
  return (
    <Page
      title="Team"
      lead={organization ? `Members of ${organization.name} and their roles.` : undefined}
      actions={
        mayChange && (
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
      shown={{ operation: 'member_list', input: { organization_id } }}
    >
      <Rows
        label="Members"
        list={members}
        keyOf={({ user_id }) => user_id}
        columns={columnsFor(session.me.id, mayChange ? { onChange: setChanging, onRemove: setGoing } : undefined)}
        empty={<Empty icon="team" title="No members" />}
      />
      {mayChange && <Invitations organizationId={organization_id} />}
      <RoleChange organizationId={organization_id} changing={changing} onClose={() => setChanging(undefined)} />
      {inviting && <Invite organizationId={organization_id} onClose={() => setInviting(false)} />}
      <Removal
        it={going}
        name="member remove"
        title={(member) => `Remove ${callName(member)}?`}
        verb="Remove"
        act={({ user_id }, options) => api.members.remove({ organization_id, user_id }, options)}
        stale={['members']}
        onClose={() => setGoing(undefined)}
      >
        <p>They lose access to every project of the organization immediately. Their allocations continue.</p>
      </Removal>
    </Page>
  );
}

/** What can be done with a member; a person changes nobody's role but others'. */
const columnsFor = (
  me: string,
  acts: { onChange(change: Change): void; onRemove(member: Member): void } | undefined,
): readonly Column<Member>[] => [
  {
    head: 'Person',
    cell: (member) => (
      <span className="font-medium">
        <bdi>{callName(member)}</bdi>
        {member.user_id === me && <span className="font-normal text-dim"> (you)</span>}
        <span className="block font-mono text-xs font-normal text-dim">{member.username}</span>
      </span>
    ),
  },
  {
    head: 'Role',
    cell: (member) =>
      acts && member.user_id !== me ? (
        <select
          aria-label={`Role of ${callName(member)}`}
          className="field w-auto"
          value={member.role}
          onChange={(event) => acts.onChange({ member, role: event.target.value as Role })}
        >
          {roles.map(([role]) => (
            <option key={role}>{role}</option>
          ))}
        </select>
      ) : (
        member.role
      ),
  },
  { head: 'Since', cell: (member) => <Ago at={member.created_at} /> },
  {
    head: '',
    end: true,
    cell: (member) =>
      acts &&
      member.user_id !== me && (
        <Button look="danger" aria-label={`Remove ${callName(member)}`} onClick={() => acts.onRemove(member)}>
          Remove
        </Button>
      ),
  },
];

function RoleChange(parts: { organizationId: string; changing: Change | undefined; onClose(): void }) {
  const { organizationId: organization_id, changing } = parts;
  const change = useAct(
    'member role',
    (input: { user_id: string; role: Role }, options) => api.members.update({ organization_id, ...input }, options),
    { stale: ['members'], done: parts.onClose },
  );
  return (
    <Confirm
      open={changing !== undefined}
      title={changing ? `Make ${callName(changing.member)} ${article(changing.role)}?` : ''}
      verb="Change role"
      danger={changing?.role === 'owner' || changing?.role === 'admin'}
      busy={change.isPending}
      error={change.error}
      onConfirm={() => changing && change.mutate({ user_id: changing.member.user_id, role: changing.role })}
      onClose={() => {
        change.reset();
        parts.onClose();
      }}
    >
      <p>{changing && `Now ${changing.member.role}. ${tellRole(changing.role)}`}</p>
    </Confirm>
  );
}
