import { Button } from './button.tsx';
import { CodeBlock } from './copy.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that is shown once. Only its own button closes it, so that nobody loses it by a stray click. */
export function SecretDialog({ title, secret, onClose }: { title: string; secret: string; onClose(): void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={title}
      lead="Keep it somewhere safe now. It is shown this once and cannot be shown again."
    >
      <CodeBlock text={secret} />
      <div className="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          I have kept it
        </Button>
      </div>
    </Dialog>
  );
}
