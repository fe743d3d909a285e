import type { ServiceAccount } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk, useList } from '../../client/ask.ts';
import { may, useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Field, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Page } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { Rows } from '../../parts/rows.tsx';
import { DaysChoice, ScopeChoice } from '../../parts/scope-choice.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { machineSets } from '../../words/scopes.ts';

const asSlug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);

export function ServiceAccountsPage() {
  const session = useSession();
  const project_id = session.project?.id ?? '';
  const list = useList(
    ['service-accounts'],
    (from, options) => api.serviceAccounts.list({ project_id, ...from }, options),
    { enabled: project_id !== '' },
  );
  const [making, setMaking] = useState(false);
  const [keyFor, setKeyFor] = useState<ServiceAccount>();
  const [secret, setSecret] = useState<string>();
  const [going, setGoing] = useState<ServiceAccount>();
  const mayChange = may(session, 'service_account_update');
  const stale = ['service-accounts'];
  const turn = useAct(
    'service account switch',
    ({ service_account_id, on, version }: { service_account_id: string; on: boolean; version: number }, options) =>
      on
        ? api.serviceAccounts.enable({ service_account_id, version }, options)
        : api.serviceAccounts.disable({ service_account_id, version }, options),
    { stale },
  );
  const make = mayChange && (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      New service account
    </Button>
  );
  return (
    <Page
      title="Service accounts"
      lead="Identities for programs, with their own keys and permissions."
      actions={make}
      shown={{ operation: 'service_account_list', input: { project_id } }}
    >
      {turn.error && <Problem error={turn.error} />}
      <Rows
        label="Service accounts"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Name',
            cell: (account) => (
              <span>
                <bdi className="line-clamp-2 font-medium">{account.name}</bdi>
                {account.description && <bdi className="line-clamp-2 text-sm text-dim">{account.description}</bdi>}
              </span>
            ),
          },
          { head: 'State', cell: (account) => <StateChip state={account.state} /> },
          { head: 'Created', cell: (account) => <Ago at={account.created_at} /> },
          {
            head: '',
            end: true,
            cell: (account) =>
              mayChange && (
                <AccountActions
                  account={account}
                  isTurning={turn.isPending && turn.variables.service_account_id === account.id}
                  onKey={() => setKeyFor(account)}
                  onTurn={() => turn.mutate(switched(account))}
                  onRemove={() => setGoing(account)}
                />
              ),
          },
        ]}
        empty={
          <Empty icon="robot" title="No service accounts yet">
            <p>Use one for a pipeline or a scheduler instead of a personal token.</p>
            {make}
          </Empty>
        }
      />
      {making && <MakeAccount onClose={() => setMaking(false)} projectId={project_id} />}
      {keyFor && <MakeKey account={keyFor} onClose={() => setKeyFor(undefined)} onMade={setSecret} />}
      {secret && <SecretDialog title="Private key" secret={secret} onClose={() => setSecret(undefined)} />}
      <Removal
        it={going}
        name="service account remove"
        title={({ name }) => `Remove ${name}?`}
        verb="Remove"
        act={({ id: service_account_id }, options) => api.serviceAccounts.remove({ service_account_id }, options)}
        stale={stale}
        onClose={() => setGoing(undefined)}
      >
        <p>Its keys and tokens stop working immediately. Allocations that it launched continue.</p>
      </Removal>
    </Page>
  );
}

const switched = ({ id, state, version }: ServiceAccount) => ({
  service_account_id: id,
  on: state === 'disabled',
  version,
});

function AccountActions({
  account,
  isTurning,
  onKey,
  onTurn,
  onRemove,
}: {
  account: ServiceAccount;
  isTurning: boolean;
  onKey(): void;
  onTurn(): void;
  onRemove(): void;
}) {
  return (
    <span className="flex flex-wrap justify-end gap-2">
      <Button onClick={onKey}>New key</Button>
      <Button busy={isTurning} onClick={onTurn}>
        {account.state === 'disabled' ? 'Enable' : 'Disable'}
      </Button>
      <Button look="danger" aria-label={`Remove ${account.name}`} onClick={onRemove}>
        Remove
      </Button>
    </span>
  );
}

function MakeAccount({ projectId, onClose }: { projectId: string; onClose(): void }) {
  const [name, setName] = useState('');
  const [about, setAbout] = useState('');
  const [set, setSet] = useState('Launch');
  const make = useAct(
    'service account create',
    (input: Parameters<typeof api.serviceAccounts.create>[0], options) => api.serviceAccounts.create(input, options),
    { stale: ['service-accounts'], done: onClose },
  );
  return (
    <FormDialog
      title="New service account"
      verb="Create"
      busy={make.isPending}
      error={make.error}
      onClose={onClose}
      onSubmit={() =>
        make.mutate({
          project_id: projectId,
          name: name.trim(),
          slug: asSlug(name) || 'machine',
          scopes: machineSets.find((each) => each.name === set)?.scopes ?? [],
          ...(about.trim() && { description: about.trim() }),
        })
      }
    >
      <TextField label="Name" required maxLength={100} value={name} onChange={setName} />
      <TextField label="Purpose" maxLength={200} value={about} onChange={setAbout} />
      <ScopeChoice sets={machineSets} value={set} onChoose={setSet} />
    </FormDialog>
  );
}

function MakeKey(parts: { account: ServiceAccount; onClose(): void; onMade(secret: string): void }) {
  const [name, setName] = useState('first');
  const policies = useAsk(['policies', 'effective'], (options) => api.policies.list(options), { freshMs: 60_000 });
  const longest = Number(
    policies.data?.data.find(({ key }) => key === 'auth.service_account_key_max_days')?.value ?? 90,
  );
  const [chosen, setDays] = useState(90);
  const days = Math.min(chosen, longest);
  const make = useAct(
    'service account key create',
    (input: { name: string; expires_in_days: number }, options) =>
      api.serviceAccounts.keyCreate({ service_account_id: parts.account.id, ...input }, options),
    {
      stale: ['service-accounts'],
      done: (key) => {
        parts.onClose();
        parts.onMade(JSON.stringify({ key_id: key.id, ...key.private_key }, undefined, 2));
      },
    },
  );
  return (
    <FormDialog
      title={`New key for ${parts.account.name}`}
      verb="Create key"
      busy={make.isPending}
      error={make.error}
      onClose={parts.onClose}
      onSubmit={() => make.mutate({ name: name.trim(), expires_in_days: days })}
    >
      <TextField label="Name" required maxLength={100} value={name} onChange={setName} />
      <Field label="Expires after">
        {(id) => <DaysChoice id={id} value={days} longest={longest} onChoose={setDays} />}
      </Field>
    </FormDialog>
  );
}
