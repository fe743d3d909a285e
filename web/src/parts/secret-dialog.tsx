import { Button } from './button.tsx';
import { CodeBlock } from './copy.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that is shown once. Only its own button closes it: neither Escape nor a click outside. */
export function SecretDialog({ title, secret, onClose }: { title: string; secret: string; onClose(): void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      stays
      title={title}
      lead="Save it now. It is shown once and cannot be shown again."
    >
      <CodeBlock text={secret} wrap />
      <div className="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          I've saved it
        </Button>
      </div>
    </Dialog>
  );
}
