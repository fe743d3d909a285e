import type { SshKey } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../client/api.ts';
import { useAct, useList } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';

export function SshKeysPage() {
  const list = useList(['ssh-keys'], (from, options) => api.sshKeys.list(from, options));
  const [adding, setAdding] = useState(false);
  const [going, setGoing] = useState<SshKey>();
  const remove = useAct(
    'ssh-key remove',
    (ssh_key_id: string, options) => api.sshKeys.remove({ ssh_key_id }, options),
    { stale: ['ssh-keys'], done: () => setGoing(undefined) },
  );
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      Add a key
    </Button>
  );
  return (
    <Page
      title="SSH keys"
      lead="What opens the machines that you rent. Only the public half ever leaves your computer."
      actions={add}
      shown={{ operation: 'ssh_key_list', input: { limit: 50 } }}
    >
      <Rows
        label="SSH keys"
        list={list}
        keyOf={({ id }) => id}
        columns={[
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
            cell: (key) => (
              <Button look="danger" onClick={() => setGoing(key)} aria-label={`Remove ${key.name}`}>
                Remove
              </Button>
            ),
          },
        ]}
        empty={
          <Empty icon="key" title="No SSH keys yet">
            <p>Add one, and every machine that you launch opens with it.</p>
            {add}
          </Empty>
        }
      />
      {adding && <AddKey onClose={() => setAdding(false)} />}
      <Confirm
        open={going !== undefined}
        onClose={() => setGoing(undefined)}
        title={`Remove ${going?.name ?? ''}?`}
        verb="Remove"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => going && remove.mutate(going.id)}
      >
        <p>Machines that you launch from now on will not open with it.</p>
      </Confirm>
    </Page>
  );
}

function AddKey({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const add = useAct(
    'ssh-key add',
    (input: { name?: string; public_key: string }, options) => api.sshKeys.add(input, options),
    { stale: ['ssh-keys'], done: onClose },
  );
  return (
    <Dialog open onClose={onClose} title="Add an SSH key">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate({ public_key: key.trim(), ...(name.trim() && { name: name.trim() }) });
        }}
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
        <Field label="Name" hint="Left empty, it is called by its comment.">
          {(id) => (
            <input
              id={id}
              dir="auto"
              className="field"
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {add.error && <Problem error={add.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={add.isPending}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
