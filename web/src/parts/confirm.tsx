import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { Problem } from './states.tsx';

/** As the API asks for it. */
const leastReason = 3;

/** Asks for confirmation of something that cannot be undone, and says what will be lost. */
export function Confirm({
  open,
  onClose,
  title,
  children,
  verb,
  dismiss = 'Cancel',
  danger = false,
  reason = false,
  busy,
  error,
  onConfirm,
}: {
  open: boolean;
  onClose(): void;
  title: string;
  children: ReactNode;
  verb: string;
  dismiss?: string;
  danger?: boolean;
  /** Whether the operation takes a reason, which is kept in the audit log. */
  reason?: boolean;
  busy: boolean;
  error: Error | null;
  onConfirm(reason: string): void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [why, setWhy] = useState('');
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <form
        ref={form}
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) onConfirm(why.trim());
        }}
      >
        <div className="grid gap-2 text-dim">{children}</div>
        {reason && (
          <TextField
            label="Reason"
            hint={`At least ${leastReason} characters. Kept in the audit log.`}
            minLength={leastReason}
            required
            maxLength={500}
            value={why}
            onChange={setWhy}
          />
        )}
        {error && <Problem error={error} goOn={() => form.current?.requestSubmit()} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{dismiss}</Button>
          <Button type="submit" look={danger ? 'danger' : 'primary'} busy={busy}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
