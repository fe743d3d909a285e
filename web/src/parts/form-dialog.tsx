import { type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Problem } from './states.tsx';

/** A few fields and one button. Enter submits; a refusal is shown above the button. */
export function FormDialog(parts: {
  title: string;
  lead?: ReactNode;
  verb: string;
  busy: boolean;
  /** Whether there is enough to submit; true when left out. */
  ready?: boolean;
  error: Error | null;
  onClose(): void;
  onSubmit(): void;
  children: ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  return (
    <Dialog open onClose={parts.onClose} title={parts.title} lead={parts.lead}>
      <form
        ref={form}
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!parts.busy) parts.onSubmit();
        }}
      >
        {parts.children}
        {parts.error && <Problem error={parts.error} goOn={() => form.current?.requestSubmit()} />}
        <div className="flex justify-end gap-2">
          <Button onClick={parts.onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={parts.busy} disabled={parts.ready === false}>
            {parts.verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
