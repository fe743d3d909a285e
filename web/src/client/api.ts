import { GpuaasError, openGpuaas } from '@gpuaas/sdk';
import { noteHold } from './held.ts';

/**
 * The one API client of this page. The browser's cookie authenticates, so no script can read a token. When the session
 * has ended, the person signs in and returns to the same place.
 */
export const signInAddress = (place: string): string => `/auth/login?return_to=${encodeURIComponent(place)}`;

/** The part after # is not sent to the server: it waits in this tab until the page is back. */
const kept = 'behind-the-hash';
function keepHash(): void {
  try {
    if (location.hash) sessionStorage.setItem(kept, location.pathname + location.hash);
  } catch {
    // Without storage the part after # is lost, and the page says what is missing.
  }
}
/** Restores the part after # that the page had before the sign-in. */
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

/** How a person confirms their identity again. */
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

/** Whether an answer means "not found". Objects of other tenants look the same on purpose. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof GpuaasError && (error.status === 404 || isBadAddress(error));

/** An id in the address of the page that is no id names nothing either. */
function isBadAddress({ code, details }: GpuaasError): boolean {
  const { fields = [] } = (details ?? {}) as { readonly fields?: readonly { readonly in: string }[] };
  return code === 'validation_error' && fields.length > 0 && fields.every((field) => field.in === 'path');
}
