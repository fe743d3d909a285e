import { useEffect } from 'react';
import { announceConfirmed } from '../../client/step-up.ts';
import { Page } from '../../parts/page.tsx';
import { Empty } from '../../parts/states.tsx';

/** The end of a step-up sign-in in its own window: the page that asked for it continues, and this one closes. */
export function IdentityConfirmedPage() {
  useEffect(() => {
    announceConfirmed();
    window.close();
  }, []);
  return (
    <Page title="Identity confirmed">
      <div className="panel">
        <Empty icon="check" title="Identity confirmed">
          <p>You can close this window and continue where you were.</p>
        </Empty>
      </div>
    </Page>
  );
}
