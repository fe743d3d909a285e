import { Button } from './button.tsx';
import { CodeBlock } from './copy.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that is shown once. Only its own button closes it: neither Escape nor a click outside. */
export function SecretDialog({
  title,
  secret,
  isPlural = false,
  onClose,
}: {
  title: string;
  secret: string;
  isPlural?: boolean;
  onClose(): void;
}) {
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      stays
      title={title}
      lead={
        isPlural
          ? 'Save them now. They are shown once and cannot be shown again.'
          : 'Save it now. It is shown once and cannot be shown again.'
      }
    >
      <CodeBlock text={secret} wrap />
      <div className="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          I've saved {isPlural ? 'them' : 'it'}
        </Button>
      </div>
    </Dialog>
  );
}
