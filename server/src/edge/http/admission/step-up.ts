import { type PolicyKey, type Route, stepUpOf, type ValueOf } from '@gpuaas/contract';
import { hadSecondFactor } from '../../../kernel/access/second-factor.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Identity } from './authentication.ts';
import type { PolicySubject } from './rate-limit.ts';

export type ReadPolicy = <K extends PolicyKey>(key: K, subject?: PolicySubject) => ValueOf<K>;

export interface StepUpParts {
  readonly policy: ReadPolicy;
  readonly clock: Clock;
  /** How the issuer is asked for a sign-in with a second factor (`acr_values`); left out for one that has no such name. */
  readonly secondFactorAcr?: string | undefined;
}

/**
 * Sensitive operations need a recent sign-in. A token without a sign-in time counts as old: a stolen token must not
 * suffice.
 */
export function makeStepUp(route: Route, parts: StepUpParts) {
  const maxAge = stepUpOf(route);
  return (identity: Identity, subject: PolicySubject): Fault<'step_up_required'> | undefined => {
    if (!maxAge || !parts.policy('auth.step_up_enabled', subject)) return undefined;
    const maxAgeSeconds = parts.policy(maxAge, subject);
    const wantsMore = parts.policy('auth.step_up_mfa_required', subject);
    const ageMs = parts.clock.now().getTime() - (identity.signedInAt?.getTime() ?? Number.NEGATIVE_INFINITY);
    const isStrong = !wantsMore || hadSecondFactor(identity.methods);
    if (ageMs <= maxAgeSeconds * 1_000 && isStrong) return undefined;
    return new Fault(
      'step_up_required',
      `Confirm your identity to continue: sign in again${wantsMore ? ' with a second factor' : ''}.`,
      {
        max_age_seconds: maxAgeSeconds,
        second_factor: wantsMore,
        authorization_parameters: {
          prompt: 'login',
          max_age: maxAgeSeconds,
          ...(wantsMore && parts.secondFactorAcr && { acr_values: parts.secondFactorAcr }),
        },
      },
    );
  };
}
