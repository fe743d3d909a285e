import type { PersonalToken } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { StateChip } from '../../parts/chip.tsx';
import { Field, TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Page } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { Rows } from '../../parts/rows.tsx';
import { DaysChoice, ScopeChoice } from '../../parts/scope-choice.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Empty } from '../../parts/states.tsx';
import { Ago, useNow } from '../../parts/time.tsx';
import { nameScopes, scopeSets } from '../../words/scopes.ts';

export function TokensPage() {
  const list = useList(['tokens'], (from, options) => api.personalTokens.list(from, options));
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [going, setGoing] = useState<PersonalToken>();
  const make = (
    <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
      Create a token
    </Button>
  );
  return (
    <Page
      title="Personal tokens"
      lead="For scripts that act as you. A token never has more rights than you."
      actions={make}
      shown={{ operation: 'personal_token_list', input: { limit: 50 } }}
    >
      <Rows
        label="Personal tokens"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Name', cell: (token) => <bdi className="line-clamp-2 font-medium">{token.name}</bdi> },
          { head: 'Begins with', cell: (token) => <code className="font-mono text-[13px]">{token.prefix}…</code> },
          {
            head: 'Access',
            cell: (token) => <span title={token.scopes.join(', ')}>{nameScopes(token.scopes)}</span>,
          },
          { head: 'Used', cell: (token) => <Ago at={token.last_used_at} /> },
          { head: 'State', cell: (token) => <TokenState token={token} /> },
          {
            head: '',
            end: true,
            cell: (token) =>
              !token.revoked_at && (
                <Button look="danger" aria-label={`Revoke ${token.name}`} onClick={() => setGoing(token)}>
                  Revoke
                </Button>
              ),
          },
        ]}
        empty={
          <Empty icon="token" title="No tokens yet">
            <p>Create one for a server or a script.</p>
            {make}
          </Empty>
        }
      />
      {making && <MakeToken onClose={() => setMaking(false)} onMade={setSecret} />}
      {secret && <SecretDialog title="Your token" secret={secret} onClose={() => setSecret(undefined)} />}
      <Removal
        it={going}
        name="token revoke"
        title={({ name }) => `Revoke ${name}?`}
        verb="Revoke"
        act={({ id: token_id }, options) => api.personalTokens.revoke({ token_id }, options)}
        stale={['tokens']}
        onClose={() => setGoing(undefined)}
      >
        <p>Programs that use it lose access immediately.</p>
      </Removal>
    </Page>
  );
}

function TokenState({ token }: { token: PersonalToken }) {
  const now = useNow();
  if (token.revoked_at) return <StateChip state="revoked" />;
  if (Date.parse(token.expires_at) < now) return <StateChip state="expired" />;
  return (
    <span className="text-dim">
      expires <Ago at={token.expires_at} />
    </span>
  );
}

function MakeToken({ onClose, onMade }: { onClose(): void; onMade(token: string): void }) {
  const [name, setName] = useState('');
  const { me } = useSession();
  const [days, setDays] = useState(Math.min(30, me.personal_token_max_days));
  const [set, setSet] = useState('Launch');
  const make = useAct(
    'token create',
    (input: Parameters<typeof api.personalTokens.create>[0], options) => api.personalTokens.create(input, options),
    {
      stale: ['tokens'],
      done: ({ token }) => {
        onClose();
        onMade(token);
      },
    },
  );
  return (
    <FormDialog
      title="Create a token"
      verb="Create token"
      busy={make.isPending}
      error={make.error}
      onClose={onClose}
      onSubmit={() =>
        make.mutate({
          name: name.trim(),
          expires_in_days: days,
          scopes: scopeSets.find((each) => each.name === set)?.scopes ?? [],
        })
      }
    >
      <TextField
        label="Name"
        hint="Where you will use it, e.g. backup server."
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <ScopeChoice sets={scopeSets} value={set} onChoose={setSet} />
      <Field label="Expires after">
        {(id) => <DaysChoice id={id} value={days} longest={me.personal_token_max_days} onChoose={setDays} />}
      </Field>
    </FormDialog>
  );
}
