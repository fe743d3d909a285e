import type { Webhook, WebhookDelivery } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useList } from '../../client/ask.ts';
import { useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Empty, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

/** The webhooks of the organization of the project, and what was posted to each. */
export function WebhooksPage() {
  const organization_id = useSession().project?.organization_id ?? '';
  const list = useList(['webhooks'], (from, options) => api.webhooks.list({ organization_id, ...from }, options), {
    enabled: organization_id !== '',
  });
  const [secret, setSecret] = useState<string>();
  const [isNew, setNew] = useState(false);
  const [looking, look] = useState<Webhook>();
  const [going, setGoing] = useState<Webhook>();
  const update = useAct(
    'webhook update',
    (input: { webhook_id: string; enabled: boolean }, options) =>
      api.webhooks.update({ organization_id, ...input }, options),
    { stale: ['webhooks'] },
  );
  const rotate = useAct(
    'webhook rotate',
    (webhook_id: string, options) => api.webhooks.rotate({ organization_id, webhook_id }, options),
    { stale: ['webhooks'], done: (made) => setSecret(made.secret) },
  );
  const error = update.error ?? rotate.error;
  return (
    <Page
      title="Webhooks"
      lead="Events of the organization are posted to these addresses, signed as Standard Webhooks says."
      actions={
        <Button look="primary" onClick={() => setNew(true)}>
          Add a webhook
        </Button>
      }
      shown={{ operation: 'webhook_list', input: { organization_id } }}
    >
      {error && <Problem error={error} />}
      <Rows
        label="Webhooks"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'Address',
            cell: (hook) => (
              <span className="grid min-w-0">
                <bdi className="font-mono text-sm break-all">{hook.url}</bdi>
                <bdi className="text-sm text-dim">{hook.description}</bdi>
              </span>
            ),
          },
          {
            head: 'Events',
            cell: (hook) => (hook.event_types.length === 0 ? 'all' : hook.event_types.join(', ')),
          },
          { head: 'State', cell: (hook) => <HookState hook={hook} /> },
          {
            head: '',
            end: true,
            cell: (hook) => (
              <span className="flex flex-wrap justify-end gap-2">
                <Button onClick={() => look(hook)}>Deliveries</Button>
                <Button onClick={() => rotate.mutate(hook.id)}>New secret</Button>
                <Button onClick={() => update.mutate({ webhook_id: hook.id, enabled: !hook.enabled })}>
                  {hook.enabled ? 'Turn off' : 'Turn on'}
                </Button>
                <Button look="danger" onClick={() => setGoing(hook)}>
                  Remove
                </Button>
              </span>
            ),
          },
        ]}
        empty={
          <Empty icon="mail" title="No webhooks">
            <p>Add one to have events posted to a program of yours.</p>
          </Empty>
        }
      />
      {isNew && (
        <NewWebhook
          organization_id={organization_id}
          onClose={() => setNew(false)}
          onMade={(made) => setSecret(made)}
        />
      )}
      {secret !== undefined && (
        <Dialog
          open
          onClose={() => setSecret(undefined)}
          title="The secret"
          lead="It is shown once. Keep it where your receiver finds it."
        >
          <code className="block rounded-lg bg-sunk p-3 break-all">{secret}</code>
        </Dialog>
      )}
      {going && <RemoveWebhook organization_id={organization_id} hook={going} onClose={() => setGoing(undefined)} />}
      {looking && <Deliveries organization_id={organization_id} hook={looking} onClose={() => look(undefined)} />}
    </Page>
  );
}

function HookState({ hook }: { hook: Webhook }) {
  if (!hook.enabled) return <Chip tone="bad">off: {hook.disabled_reason}</Chip>;
  return hook.failing_since ? <Chip tone="warn">failing</Chip> : <Chip tone="ok">on</Chip>;
}

function RemoveWebhook(parts: { organization_id: string; hook: Webhook; onClose(): void }) {
  const { organization_id, hook, onClose } = parts;
  const remove = useAct(
    'webhook delete',
    (webhook_id: string, options) => api.webhooks.delete({ organization_id, webhook_id }, options),
    { stale: ['webhooks'], done: onClose },
  );
  return (
    <Confirm
      open
      onClose={onClose}
      title="Remove this webhook?"
      verb="Remove"
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(hook.id)}
    >
      <p>
        Nothing is posted to <bdi className="font-mono text-sm break-all">{hook.url}</bdi> any more. Its secret and the
        list of its deliveries are lost.
      </p>
    </Confirm>
  );
}

function NewWebhook(parts: { organization_id: string; onClose(): void; onMade(secret: string): void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const create = useAct(
    'webhook create',
    (input: { url: string; description: string }, options) =>
      api.webhooks.create({ organization_id: parts.organization_id, ...input }, options),
    {
      stale: ['webhooks'],
      done: (made) => {
        parts.onClose();
        parts.onMade(made.secret);
      },
    },
  );
  return (
    <Dialog open onClose={parts.onClose} title="Add a webhook" lead="A public https address that takes posts.">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ url, description });
        }}
      >
        <TextField
          label="Address"
          hint="For example https://example.com/hook"
          value={url}
          maxLength={2_000}
          required
          onChange={setUrl}
        />
        <TextField label="What it is for" value={description} maxLength={200} onChange={setDescription} />
        {create.error && <Problem error={create.error} goOn={() => create.mutate({ url, description })} />}
        <Button look="primary" type="submit" busy={create.isPending}>
          Add
        </Button>
      </form>
    </Dialog>
  );
}

function Deliveries(parts: { organization_id: string; hook: Webhook; onClose(): void }) {
  const of = { organization_id: parts.organization_id, webhook_id: parts.hook.id };
  const list = useList(['webhooks', 'deliveries', parts.hook.id], (from, options) =>
    api.webhooks.deliveryList({ ...of, ...from }, options),
  );
  const resend = useAct(
    'webhook resend',
    (delivery_id: string, options) => api.webhooks.resend({ ...of, delivery_id }, options),
    { stale: ['webhooks'] },
  );
  return (
    <Dialog open onClose={parts.onClose} title="Deliveries" lead={parts.hook.url}>
      {resend.error && <Problem error={resend.error} />}
      <Rows
        label="Deliveries"
        list={list}
        keyOf={({ id }: WebhookDelivery) => id}
        columns={[
          { head: 'Event', cell: (each) => each.event_type },
          {
            head: 'Outcome',
            cell: (each) => (
              <Chip tone={each.outcome === 'delivered' ? 'ok' : each.outcome === 'failed' ? 'bad' : 'busy'}>
                {each.outcome}
                {each.response_status === null ? '' : ` (${each.response_status})`}
              </Chip>
            ),
          },
          { head: 'Tries', cell: (each) => each.attempts },
          { head: 'When', cell: (each) => <Ago at={each.created_at} /> },
          { head: '', end: true, cell: (each) => <Button onClick={() => resend.mutate(each.id)}>Post again</Button> },
        ]}
        empty={<Empty icon="mail" title="Nothing was posted yet" />}
      />
    </Dialog>
  );
}
