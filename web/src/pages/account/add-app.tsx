import type { NewAuthenticator } from '@gpuaas/sdk';
import { useState } from 'react';
import { encode } from 'uqr';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { Copy } from '../../parts/copy.tsx';
import { TextField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';

/** An authenticator app is named, shown a picture, and confirmed by its first code. */
export function AddApp({ onClose, onCodes }: { onClose(): void; onCodes(codes: string): void }) {
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
