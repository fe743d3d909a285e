import { Component, type ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { isUnreachablePart, PartFailure } from './lazy-part.tsx';
import { Problem } from './states.tsx';

const showModal = (sheet: HTMLDialogElement | null): void => {
  if (sheet && !sheet.open) sheet.showModal();
};

/**
 * Around dialogs that are fetched when opened: a failure stays in a dialog, and the page keeps working. It uses the
 * browser's own dialog element, which needs no further download.
 */
export class PartBoundary extends Component<
  { readonly children: ReactNode; onClose(): void },
  { readonly failure: unknown }
> {
  override state: { readonly failure: unknown } = { failure: undefined };
  static getDerivedStateFromError(failure: unknown) {
    return { failure };
  }
  override render() {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    const clear = () => this.setState({ failure: undefined });
    const close = () => {
      clear();
      this.props.onClose();
    };
    return (
      <dialog
        ref={showModal}
        onClose={close}
        aria-label="Could not be opened"
        className="panel m-auto w-[calc(100vw-24px)] max-w-lg p-5 text-ink shadow-lift backdrop:bg-veil"
      >
        <div className="mb-3 flex items-start gap-3">
          <h2 className="grow text-lg font-semibold">Could not be opened</h2>
          <IconButton icon="close" label="Close" onClick={close} />
        </div>
        {isUnreachablePart(failure) ? <PartFailure again={clear} /> : <Problem error={failure} again={clear} />}
      </dialog>
    );
  }
}
