import type { SshKey } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { may, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Field, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Page } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { type Column, Rows } from '../../parts/rows.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

type Whose = 'me' | 'project';

/** The SSH keys of the person and of the project. */
export function SshKeysPage() {
  const session = useSession();
  const isIn = session.project !== undefined;
  const own = useList(['ssh-keys', 'me'], (from, options) => api.sshKeys.list(from, options));
  const shared = useList(['ssh-keys', 'shared'], (from, options) => api.sshKeys.projectList(from, options), {
    enabled: isIn,
  });
  const [adding, setAdding] = useState<Whose>();
  const [going, setGoing] = useState<SshKey>();
  const mayShare = may(session, 'project_ssh_key_add');
  const columns = (mayRemove: boolean): readonly Column<SshKey>[] => [
    { head: 'Name', cell: (key) => <bdi className="line-clamp-2 font-medium">{key.name}</bdi> },
    { head: 'Kind', cell: (key) => `${key.type.replace('ssh-', '')} ${key.bits}` },
    {
      head: 'Fingerprint',
      cell: (key) => <span className="font-mono text-[13px] break-all">{key.fingerprint}</span>,
    },
    { head: 'Used', cell: (key) => <Ago at={key.last_used_at} /> },
    {
      head: '',
      end: true,
      cell: (key) =>
        mayRemove && (
          <Button look="danger" onClick={() => setGoing(key)} aria-label={`Remove ${key.name}`}>
            Remove
          </Button>
        ),
    },
  ];
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding('me')}>
      Add a key
    </Button>
  );
  return (
    <Page
      title="SSH keys"
      lead="Keys for SSH access to your machines. Only the public key leaves your computer."
      actions={add}
      shown={{ operation: 'ssh_key_list', input: { limit: 50 } }}
    >
      <Rows
        label="Your SSH keys"
        list={own}
        keyOf={({ id }) => id}
        columns={columns(true)}
        empty={
          <Empty icon="key" title="You have no SSH keys yet">
            <p>Add one. Every machine that you launch accepts it.</p>
            {add}
          </Empty>
        }
      />
      {isIn && (
        <section className="grid grid-cols-1 gap-3" aria-label="Keys of the project">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <h2 className="text-lg font-semibold">Keys of the project</h2>
            {mayShare && (
              <Button icon="plus" onClick={() => setAdding('project')}>
                Add a project key
              </Button>
            )}
          </div>
          <Rows
            label="Keys of the project"
            list={shared}
            keyOf={({ id }) => id}
            columns={columns(mayShare)}
            empty={
              <Empty icon="key" title="The project has no keys">
                <p>
                  A project key can be installed on every machine of the project, e.g. for a build server or the person
                  on call.
                </p>
              </Empty>
            }
          />
        </section>
      )}
      {adding && <AddKey whose={adding} onClose={() => setAdding(undefined)} />}
      <Removal
        it={going}
        name="ssh-key remove"
        title={(key) => `Remove ${key.name}?`}
        verb="Remove"
        act={({ id: ssh_key_id, user_id }, options) =>
          user_id === null
            ? api.sshKeys.projectRemove({ ssh_key_id }, options)
            : api.sshKeys.remove({ ssh_key_id }, options)
        }
        stale={['ssh-keys']}
        onClose={() => setGoing(undefined)}
      >
        <p>Machines that you launch from now on will not accept it.</p>
      </Removal>
    </Page>
  );
}

function AddKey({ whose, onClose }: { whose: Whose; onClose(): void }) {
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const add = useAct(
    `ssh-key add ${whose}`,
    (input: { name?: string; public_key: string }, options) =>
      whose === 'me' ? api.sshKeys.add(input, options) : api.sshKeys.projectAdd(input, options),
    { stale: ['ssh-keys'], done: onClose },
  );
  return (
    <FormDialog
      title={whose === 'me' ? 'Add an SSH key' : 'Add an SSH key to the project'}
      verb="Add"
      busy={add.isPending}
      error={add.error}
      onClose={onClose}
      onSubmit={() => add.mutate({ public_key: key.trim(), ...(name.trim() && { name: name.trim() }) })}
    >
      <Field
        label="Public key"
        hint={
          <>
            The line in <code className="font-mono">~/.ssh/id_ed25519.pub</code>. No key yet? Run{' '}
            <code className="font-mono">ssh-keygen -t ed25519</code>.
          </>
        }
      >
        {(id) => (
          <textarea
            id={id}
            required
            rows={4}
            spellCheck={false}
            className="field font-mono text-[13px]"
            placeholder="ssh-ed25519 AAAA…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      <TextField label="Name" hint="Empty: the comment of the key." maxLength={100} value={name} onChange={setName} />
    </FormDialog>
  );
}
