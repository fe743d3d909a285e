import type { NewAuthenticator, SecondFactor } from '@gpuaas/sdk';
import { useState } from 'react';
import { encode } from 'uqr';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Copy } from '../../parts/copy.tsx';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

const listed = 'flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-edge py-2 last:border-0';

/** What a person signs in with besides the password. */
export function SecurityPage() {
  const factors = useAsk(['factors'], (options) => api.factors.list(options));
  const [adding, setAdding] = useState(false);
  const [going, setGoing] = useState<SecondFactor>();
  const [codes, setCodes] = useState<string>();
  const renew = useAct('recovery codes renew', (_: 'all', options) => api.factors.recoveryCodesRenew({}, options), {
    stale: ['factors'],
    done: ({ recovery_codes }) => setCodes(recovery_codes),
  });
  const { data } = factors;
  return (
    <Page
      title="Security"
      lead="A second factor keeps others out who learn your password."
      actions={
        data?.managed && (
          <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
            Add an authenticator app
          </Button>
        )
      }
      shown={{ operation: 'factor_list', input: {} }}
    >
      {factors.error && !data && <Problem error={factors.error} again={() => void factors.refetch()} />}
      {renew.error && <Problem error={renew.error} />}
      {!data && !factors.error && <Loading rows={4} label="Loading your second factors" />}
      {data && !data.managed && (
        <Panel title="Second factors">
          <p>You sign in with another identity provider. Set up second factors there.</p>
        </Panel>
      )}
      {data?.managed && (
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Panel title="Second factors" aside={data.required && <Chip tone="warn">required</Chip>}>
            {data.factors.length === 0 ? (
              <p className="text-dim">None. Your password alone opens your account.</p>
            ) : (
              <ul>
                {data.factors.map((factor) => (
                  <li key={factor.id} className={listed}>
                    <span>
                      <bdi className="font-medium">{factor.name}</bdi>
                      <span className="block text-sm text-dim">
                        Authenticator app, last used <Ago at={factor.last_used_at} />
                      </span>
                    </span>
                    <Button look="danger" aria-label={`Remove ${factor.name}`} onClick={() => setGoing(factor)}>
                      Remove
                    </Button>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
          {data.factors.length > 0 && (
            <Panel
              title="Recovery codes"
              aside={<span className="text-sm text-dim">{data.recovery_codes_left} left</span>}
            >
              <p className="mb-3">Each one signs you in once if you lose your app. Keep them apart from it.</p>
              <Button busy={renew.isPending} onClick={() => renew.mutate('all')}>
                Make new codes
              </Button>
            </Panel>
          )}
        </div>
      )}
      {adding && <AddApp onClose={() => setAdding(false)} onCodes={setCodes} />}
      {codes && (
        <SecretDialog
          title="Your recovery codes"
          secret={codes.split(' ').join('\n')}
          onClose={() => setCodes(undefined)}
        />
      )}
      <Removal
        it={going}
        name="factor remove"
        title={({ name }) => `Remove ${name}?`}
        verb="Remove"
        act={({ id: factor_id }, options) => api.factors.remove({ factor_id }, options)}
        stale={['factors']}
        onClose={() => setGoing(undefined)}
      >
        <p>Sign-in no longer asks for it.</p>
      </Removal>
    </Page>
  );
}

function AddApp({ onClose, onCodes }: { onClose(): void; onCodes(codes: string): void }) {
  const [name, setName] = useState('');
  const [code, setCode] = useState('');
  const [app, setApp] = useState<NewAuthenticator>();
  const begin = useAct('factor begin', (input: { name: string }, options) => api.factors.begin(input, options), {
    done: setApp,
  });
  const confirm = useAct(
    'factor confirm',
    (input: { factor_id: string; code: string }, options) => api.factors.confirm(input, options),
    {
      stale: ['factors'],
      done: ({ recovery_codes }) => {
        onClose();
        if (recovery_codes) onCodes(recovery_codes);
      },
    },
  );
  return (
    <FormDialog
      title="Add an authenticator app"
      verb={app ? 'Confirm' : 'Continue'}
      busy={begin.isPending || confirm.isPending}
      error={begin.error ?? confirm.error}
      onClose={onClose}
      onSubmit={() =>
        app ? confirm.mutate({ factor_id: app.id, code: code.trim() }) : begin.mutate({ name: name.trim() })
      }
    >
      {app ? (
        <>
          <p>Scan this picture with the app, then enter the code that it shows.</p>
          <Picture text={app.uri} />
          <p className="text-sm text-dim">
            No camera? Type this key: <Copy text={app.secret} label="the key" />
          </p>
          <TextField label="Code" required maxLength={32} value={code} onChange={setCode} />
        </>
      ) : (
        <TextField
          label="Name"
          hint="Which device it is on, so that you recognise it later."
          required
          maxLength={100}
          value={name}
          onChange={setName}
        />
      )}
    </FormDialog>
  );
}

/** Black on white whatever the theme is, or cameras fail. Drawn here: no picture is loaded, and the key stays on the page. */
function Picture({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className="mx-auto size-48" role="img" viewBox={`0 0 ${size} ${size}`}>
      <title>QR code for the authenticator app</title>
      <rect width={size} height={size} fill="white" />
      <path d={squares.join('')} fill="black" />
    </svg>
  );
}
