import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { callName } from '../../client/names.ts';
import { useMay, useSession } from '../../client/session.tsx';
import { Choice, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Problem } from '../../parts/states.tsx';

type Input = Parameters<typeof api.storage.grantCreate>[0];

/** Lets a person, a service account or another project of the organization use a namespace. */
export function NewGrant({ namespaces, onClose }: { namespaces: readonly string[]; onClose(): void }) {
  const session = useSession();
  const may = useMay();
  const [path, setPath] = useState(namespaces[0] ?? '');
  const [kind, setKind] = useState<Input['grantee_kind']>('user');
  const [grantee, setGrantee] = useState('');
  const [level, setLevel] = useState<Input['level']>('read');
  const [until, setUntil] = useState('');
  const { id: project_id = '', organization_id = '' } = session.project ?? {};
  const members = useAsk(
    ['members', 'names', organization_id],
    (options) => api.members.list({ organization_id, limit: 200 }, options),
    { enabled: may('member_list') },
  );
  const accounts = useAsk(
    ['service-accounts', 'names'],
    (options) => api.serviceAccounts.list({ project_id, limit: 200 }, options),
    { enabled: may('service_account_list') },
  );
  const make = useAct('storage grant create', (input: Input, options) => api.storage.grantCreate(input, options), {
    stale: ['storage'],
    done: onClose,
  });
  const grantees: Readonly<Record<Input['grantee_kind'], readonly (readonly [string, string])[]>> = {
    user: (members.data?.data ?? [])
      .filter(({ user_id }) => user_id !== session.me.id)
      .map((member) => [member.user_id, callName(member)] as const),
    service_account: (accounts.data?.data ?? []).map(({ id, name }) => [id, name] as const),
    project: session.projects
      .filter((each) => each.organization_id === organization_id && each.id !== project_id)
      .map(({ id, name }) => [id, name] as const),
  };
  const options = grantees[kind];
  const chosen = options.some(([id]) => id === grantee) ? grantee : (options[0]?.[0] ?? '');
  const refused = members.error ?? accounts.error;
  return (
    <FormDialog
      title="New grant"
      verb="Grant"
      busy={make.isPending}
      ready={chosen !== ''}
      error={make.error}
      onClose={onClose}
      onSubmit={() =>
        make.mutate({
          ...{ path, grantee_kind: kind, grantee_id: chosen, level },
          // Until the end of that day, where the person is.
          ...(until !== '' && { expires_at: new Date(`${until}T23:59:59`).toISOString() }),
        })
      }
    >
      {refused && <Problem error={refused} />}
      <Choice
        label="Namespace"
        value={path}
        options={namespaces.map((each) => [each, each] as const)}
        onChoose={setPath}
      />
      <Choice
        label="For"
        value={kind}
        options={[
          ['user', 'A person'],
          ['service_account', 'A service account'],
          ['project', 'Another project'],
        ]}
        onChoose={(next) => setKind(next as Input['grantee_kind'])}
      />
      {options.length > 0 ? (
        <Choice label="Who" value={chosen} options={options} onChoose={setGrantee} />
      ) : (
        <p className="text-dim">The organization has no other one of these.</p>
      )}
      <Choice
        label="Right"
        value={level}
        options={[
          ['read', 'Read'],
          ['write', 'Read and write'],
          ['manage', 'Read, write and share on'],
        ]}
        onChoose={(next) => setLevel(next as Input['level'])}
      />
      <TextField
        label="Last day"
        hint="Without one it lasts until it is revoked."
        type="date"
        maxLength={10}
        value={until}
        onChange={setUntil}
      />
    </FormDialog>
  );
}
