import { useEffect, useRef, useState } from 'react';
import { leaveToSignIn, type StepUpWay, signInAddress, stepUpWords } from './api.ts';

export type { StepUpWay } from './api.ts';

/** Where the sign-in window ends; that page notifies the page that waits. */
const confirmedPath = '/identity-confirmed';
const channelName = 'identity-confirmed';

/** Called by that page. */
export function announceConfirmed(): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage('confirmed');
  channel.close();
}

/**
 * Confirms the identity in a separate window, so that a form keeps its input. A browser that blocks windows signs in on
 * this page instead.
 */
export function useStepUp(
  way: StepUpWay,
  onConfirmed: () => void,
): { readonly state: 'open' | 'waiting' | 'confirmed'; ask(): void } {
  const [state, setState] = useState<'open' | 'waiting' | 'confirmed'>('open');
  const goOn = useRef(onConfirmed);
  goOn.current = onConfirmed;
  useEffect(() => {
    const channel = new BroadcastChannel(channelName);
    channel.onmessage = () => {
      setState('confirmed');
      goOn.current();
    };
    return () => channel.close();
  }, []);
  return {
    state,
    ask() {
      const opened = window.open(
        `${signInAddress(confirmedPath)}${stepUpWords(way)}`,
        'gpuaas-identity',
        'popup,width=520,height=720',
      );
      if (opened) setState('waiting');
      else leaveToSignIn(way);
    },
  };
}
