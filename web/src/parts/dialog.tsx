import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';
import { IconButton } from './button.tsx';

/**
 * A modal dialog. It traps the focus, restores it, and closes by Escape or a click outside. A form gets the focus in
 * its first field; on a phone, where that would open the keyboard, the dialog gets it.
 */
export function Dialog({
  open,
  onClose,
  title,
  lead,
  wide = false,
  stays = false,
  children,
}: {
  open: boolean;
  onClose(): void;
  title: string;
  lead?: ReactNode;
  wide?: boolean;
  /** Only a button inside closes it: neither Escape nor a click outside. */
  stays?: boolean;
  children: ReactNode;
}) {
  const sheet = useRef<HTMLDivElement>(null);
  const firstField = (openedBy: string) =>
    (openedBy !== 'touch' && sheet.current?.querySelector<HTMLElement>('form :is(input, select, textarea)')) || true;
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && !stays && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup
          ref={sheet}
          initialFocus={firstField}
          className={`panel fixed start-1/2 top-[12vh] z-50 max-h-[80vh] w-[calc(100vw-24px)] -translate-x-1/2 overflow-auto p-5 shadow-lift rtl:translate-x-1/2 ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
        >
          <div className="mb-3 flex items-start gap-3">
            <div className="min-w-0 grow">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {lead && <Base.Description className="mt-1 text-dim">{lead}</Base.Description>}
            </div>
            {!stays && <Base.Close render={<IconButton icon="close" label="Close" />} />}
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
