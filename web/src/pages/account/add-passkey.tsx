import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser';
import { useState } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';

/** Asks the browser for a passkey. Browser errors are technical, so the person gets a message that says what to do. */
async function makePasskey(options: unknown) {
  if (!browserSupportsWebAuthn())
    throw new Error('This browser does not support passkeys. Use another browser, or an authenticator app.');
  try {
    return await startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON });
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    throw new Error(
      isKnown
        ? 'This device has a passkey for your account already. Use another device.'
        : 'No passkey was created. Try again, and confirm it on your device.',
    );
  }
}

/** The person names a passkey, the browser creates it, and it counts at once. */
export function AddPasskey({ onClose, onCodes }: { onClose(): void; onCodes(codes: string): void }) {
  const [name, setName] = useState('');
  const begin = useAct('passkey begin', (input: { name: string }, options) => api.factors.passkeyBegin(input, options));
  const confirm = useAct(
    'passkey confirm',
    (input: { factor_id: string; credential: unknown }, options) => api.factors.passkeyConfirm(input, options),
    {
      stale: ['factors'],
      done: ({ recovery_codes }) => {
        onClose();
        if (recovery_codes) onCodes(recovery_codes);
      },
    },
  );
  const [problem, setProblem] = useState('');
  const [asking, setAsking] = useState(false);
  async function add() {
    setProblem('');
    const { id, options } = await begin.mutateAsync({ name: name.trim() });
    setAsking(true);
    try {
      confirm.mutate({ factor_id: id, credential: await makePasskey(options) });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : '');
    } finally {
      setAsking(false);
    }
  }
  return (
    <FormDialog
      title="Add a passkey"
      lead="A key on your phone, your computer or a security key. You unlock it with a finger, your face or a PIN."
      verb="Continue"
      busy={begin.isPending || asking || confirm.isPending}
      error={begin.error ?? confirm.error}
      onClose={onClose}
      onSubmit={() => {
        // A refusal is shown by the dialog, so nothing is left to do about it here.
        add().catch(() => undefined);
      }}
    >
      <TextField
        label="Name"
        hint="Which device it is on, so that you recognise it later."
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
      {problem && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </FormDialog>
  );
}
