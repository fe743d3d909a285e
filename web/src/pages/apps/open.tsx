import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Problem } from '../../parts/states.tsx';

type Search = { readonly label?: string; readonly state?: string; readonly to?: string };
const stateShape = /^[A-Za-z0-9_-]{20,128}$/;
const labelShape = /^[a-z0-9-]{1,63}$/;

/**
 * Signs this browser in at the address of an app: the app-proxy sent it here, and it goes back with a code that works once. The state that it came
 * with is a cookie at the app, so a link from elsewhere leads to nothing.
 */
export function OpenAppPage() {
  const { label = '', state = '', to = '/' } = useSearch({ strict: false }) as Search;
  const isWhole = labelShape.test(label) && stateShape.test(state);
  const signIn = useAct('app sign-in', (_: string, options) =>
    api.appInstances.signInCreate({ label, state, to }, options),
  );
  const { mutate, data, error, isPending } = signIn;
  const input = `${label} ${state}`;
  const tried = useRef('');
  useEffect(() => {
    // Once for each link: a refusal waits for the person.
    if (!isWhole || tried.current === input) return;
    tried.current = input;
    mutate(input);
  });
  useEffect(() => {
    if (data) location.replace(data.redirect_url);
  }, [data]);
  return (
    <Page title="Open an app">
      <div className="panel">
        {isWhole ? (
          <Empty icon="launch" title="Signing you in at the app">
            {error && <Problem error={error} />}
            {error && (
              <Button busy={isPending} onClick={() => mutate(input)}>
                Try again
              </Button>
            )}
          </Empty>
        ) : (
          <Empty icon="launch" title="The link is not complete">
            <p>Open the app from its page in the console.</p>
            <ButtonLink to="/app-instances">App instances</ButtonLink>
          </Empty>
        )}
      </div>
    </Page>
  );
}
