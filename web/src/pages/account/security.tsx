import type { SecondFactor } from '@gpuaas/sdk';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { Button } from '../../parts/button.tsx';
import { Chip } from '../../parts/chip.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Removal } from '../../parts/removal.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { AddApp } from './add-app.tsx';
import { AddPasskey } from './add-passkey.tsx';

const listed = 'flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-edge py-2 last:border-0';

const kinds = { totp: 'Authenticator app', passkey: 'Passkey' } as const;

/** What a person signs in with besides the password. */
export function SecurityPage() {
  const factors = useAsk(['factors'], (options) => api.factors.list(options));
  const [adding, setAdding] = useState<'app' | 'passkey'>();
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
      lead="A second factor protects your account if your password leaks."
      actions={
        data?.managed && (
          <div className="flex flex-wrap gap-2">
            {data.passkeys && (
              <Button look="primary" icon="plus" onClick={() => setAdding('passkey')}>
                Add a passkey
              </Button>
            )}
            <Button look={data.passkeys ? 'plain' : 'primary'} icon="plus" onClick={() => setAdding('app')}>
              Add an authenticator app
            </Button>
          </div>
        )
      }
      shown={{ operation: 'factor_list', input: {} }}
    >
      {factors.error && !data && <Problem error={factors.error} again={() => void factors.refetch()} />}
      {renew.error && <Problem error={renew.error} goOn={() => renew.mutate('all')} />}
      {!data && !factors.error && <Loading rows={4} label="Loading your second factors" />}
      {data && !data.managed && (
        <Panel title="Second factors">
          <p>You sign in with another identity provider. Set up second factors there.</p>
        </Panel>
      )}
      {data?.managed && (
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Panel title="Second factors" aside={data.required && <Chip tone="warn">required</Chip>}>
            {!data.passkeys && <NoPasskeys />}
            {data.factors.length === 0 ? (
              <p className="text-dim">None. Your password alone opens your account.</p>
            ) : (
              <ul>
                {data.factors.map((factor) => (
                  <li key={factor.id} className={listed}>
                    <span>
                      <bdi className="font-medium">{factor.name}</bdi>
                      <span className="block text-sm text-dim">
                        {kinds[factor.kind]}, last used <Ago at={factor.last_used_at} />
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
              <p className="mb-3">
                Each one signs you in once if you lose your second factor. Keep them apart from it.
              </p>
              <Button busy={renew.isPending} onClick={() => renew.mutate('all')}>
                Make new codes
              </Button>
            </Panel>
          )}
        </div>
      )}
      {adding === 'app' && <AddApp onClose={() => setAdding(undefined)} onCodes={setCodes} />}
      {adding === 'passkey' && <AddPasskey onClose={() => setAdding(undefined)} onCodes={setCodes} />}
      {codes && <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
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

const NoPasskeys = () => (
  <p className="mb-3 text-sm text-dim">
    Passkeys are not offered here: browsers make them only for a domain name with TLS, and this installation is reached
    without one.
  </p>
);

const RecoveryCodes = ({ codes, onClose }: { codes: string; onClose(): void }) => (
  <SecretDialog title="Your recovery codes" isPlural secret={codes.split(' ').join('\n')} onClose={onClose} />
);
