import type { StatesOf } from '../machine.ts';
import type { appArtifact } from '../machines/app-artifact.ts';
import type { appTrust } from '../machines/app-trust.ts';

export type AppLifecycleState = keyof StatesOf<typeof appArtifact> & string;
export type AppTrustState = keyof StatesOf<typeof appTrust> & string;

/**
 * For whom something is possible. `everyone` means everybody who may see the app by its visibility and entitlements; `publisher` means
 * the organization that published it, within that visibility.
 */
export type AppAudience = 'everyone' | 'publisher' | 'nobody';

export interface AppStanding {
  /** Who may start a new instance of this version. */
  readonly launch: AppAudience;
  /** Who may move an instance to this version. */
  readonly upgrade: AppAudience;
  /** Whether instances that run go on; `as_revoked`: the revocation says whether they are stopped. */
  readonly run: 'yes' | 'as_revoked';
  /** Who finds the version in the catalog. */
  readonly seen: AppAudience;
}

const standing = (
  launch: AppAudience,
  upgrade: AppAudience,
  seen: AppAudience,
  run: AppStanding['run'] = 'yes',
): AppStanding => ({ launch, upgrade, run, seen });

/** Every cell of lifecycle and trust. What a version may be used for follows from here and from nothing else. */
export const appStandings: Readonly<Record<AppLifecycleState, Readonly<Record<AppTrustState, AppStanding>>>> = {
  published: {
    unverified: standing('publisher', 'publisher', 'publisher'),
    verified: standing('publisher', 'publisher', 'publisher'),
    failed_verification: standing('nobody', 'nobody', 'publisher'),
    revoked: standing('nobody', 'nobody', 'publisher', 'as_revoked'),
  },
  promoted: {
    // No way leads here: promotion wants a verified version, and verification is never undone without an answer.
    unverified: standing('publisher', 'publisher', 'publisher'),
    verified: standing('everyone', 'everyone', 'everyone'),
    failed_verification: standing('nobody', 'nobody', 'everyone'),
    revoked: standing('nobody', 'nobody', 'everyone', 'as_revoked'),
  },
  deprecated: {
    unverified: standing('publisher', 'nobody', 'publisher'),
    // Still launched by those who depend on it; nobody moves to it any more.
    verified: standing('everyone', 'nobody', 'everyone'),
    failed_verification: standing('nobody', 'nobody', 'publisher'),
    revoked: standing('nobody', 'nobody', 'everyone', 'as_revoked'),
  },
  retired: {
    unverified: standing('nobody', 'nobody', 'publisher'),
    verified: standing('nobody', 'nobody', 'publisher'),
    failed_verification: standing('nobody', 'nobody', 'publisher'),
    revoked: standing('nobody', 'nobody', 'publisher', 'as_revoked'),
  },
};

export const appChannels = ['dev', 'test', 'staging', 'prod'] as const;
export type AppChannel = (typeof appChannels)[number];
export const appVisibilities = ['project', 'organization', 'platform'] as const;
export type AppVisibility = (typeof appVisibilities)[number];

/** What becomes of instances that run a version whose trust is revoked. New ones are refused in any case. */
export const revocationEffects = ['stop', 'let_run'] as const;
export type RevocationEffect = (typeof revocationEffects)[number];

/** The next channel, or undefined after the last one. */
export const channelAfter = (channel: AppChannel): AppChannel | undefined =>
  appChannels[appChannels.indexOf(channel) + 1];

/** Whether something with this audience is possible for a caller. */
export const isFor = (audience: AppAudience, isPublisher: boolean): boolean =>
  audience === 'everyone' || (audience === 'publisher' && isPublisher);

/** Why a version may not be launched, or not upgraded to, in a sentence for the one who asked; undefined when it may. */
export function standingFault(
  what: 'launch' | 'upgrade',
  version: { readonly lifecycle: AppLifecycleState; readonly trust: AppTrustState },
  isPublisher: boolean,
): string | undefined {
  if (isFor(appStandings[version.lifecycle][version.trust][what], isPublisher)) return undefined;
  const verb = what === 'launch' ? 'launched' : 'upgraded to';
  if (version.trust === 'revoked')
    return `The trust in this version was revoked, so it cannot be ${verb}: take another version.`;
  if (version.lifecycle === 'retired') return `This version is retired and cannot be ${verb}: take a newer one.`;
  if (version.trust === 'failed_verification') {
    return `This version failed verification and cannot be ${verb}. Its publisher sees why and can have it verified again.`;
  }
  if (version.lifecycle === 'deprecated')
    return 'This version is deprecated: nobody moves to it any more. Take a newer one.';
  return `This version is ${version.lifecycle} and ${version.trust}: only its publisher may use it before it is verified and promoted.`;
}
