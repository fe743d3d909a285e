import { Component, type ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { isUnreachablePart, PartFailure } from './lazy-part.tsx';
import { Problem } from './states.tsx';

/** Around sheets that are fetched when they are opened: a failure of one stays in a sheet, and the page stays whole. */
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
      <Dialog open onClose={close} title="Could not be opened">
        {isUnreachablePart(failure) ? <PartFailure again={clear} /> : <Problem error={failure} again={clear} />}
      </Dialog>
    );
  }
}
