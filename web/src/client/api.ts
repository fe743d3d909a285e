import { GpuaasError, openGpuaas } from '@gpuaas/sdk';
import { noteHold } from './held.ts';

/**
 * The one client of this page. The browser's own cookie says who is there: no token is ever in reach of a script. Where
 * the session is over, the person is sent to sign in and comes back to the very place.
 */
export const signInAddress = (place: string): string => `/auth/login?return_to=${encodeURIComponent(place)}`;

/** What stands behind the # is not sent to anybody: it waits in this tab until its page is back. */
const kept = 'behind-the-hash';
function keepHash(): void {
  try {
    if (location.hash) sessionStorage.setItem(kept, location.pathname + location.hash);
  } catch {
    // A browser that keeps nothing comes back without it, and the page says what is missing.
  }
}
/** Puts back what stood behind the # before somebody was sent to sign in. */
export function restoreHash(): void {
  try {
    const place = sessionStorage.getItem(kept);
    sessionStorage.removeItem(kept);
    const at = place?.indexOf('#') ?? -1;
    if (place && location.hash === '' && place.slice(0, at) === location.pathname) {
      history.replaceState(history.state, '', location.pathname + location.search + place.slice(at));
    }
  } catch {
    // As above.
  }
}

/** How somebody proves again who they are. */
export type StepUpWay = 'password' | 'second-factor';
export const stepUpWords = (way: StepUpWay): string => `&step_up=${way === 'password' ? '1' : way}`;

let leaving = false;
export function leaveToSignIn(stepUp?: StepUpWay): void {
  if (leaving) return;
  leaving = true;
  keepHash();
  const how = stepUp === undefined ? '' : stepUpWords(stepUp);
  location.assign(`${signInAddress(location.pathname + location.search)}${how}`);
}

const withCookie: typeof fetch = async (input, init) => {
  const answer = await fetch(input, { ...init, credentials: 'same-origin' });
  if (answer.status === 401) leaveToSignIn();
  noteHold(answer);
  return answer;
};

export const api = openGpuaas({ baseUrl: location.origin, fetch: withCookie, attempts: 3 });

/** Whether an answer means that the thing is not there, or not for this person: the two look the same on purpose. */
export const isAbsent = (error: unknown): boolean => error instanceof GpuaasError && error.status === 404;
