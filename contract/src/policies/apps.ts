import { type Policy, whole } from '../policy.ts';

/** Policies of apps, and of containers that a launch of an application stands on: how one that stalls is noticed, failed and tried again. */
export const appPolicies = [
  whole(
    'apps.oci_probe_seconds',
    { default: 60, minimum: 5, maximum: 3_600, unit: 'seconds' },
    'apps',
    'How often a container that is being launched is looked at on its host.',
  ),
  whole(
    'apps.oci_stall_seconds',
    { default: 180, minimum: 10, maximum: 86_400, unit: 'seconds' },
    'apps',
    'A launch of a container that has not moved on for this long has failed.',
  ),
  whole(
    'apps.oci_recovery_seconds',
    { default: 900, minimum: 0, maximum: 86_400, unit: 'seconds' },
    'apps',
    'A launch that has failed is tried again within this time after it was first asked for. 0: never.',
  ),
  whole(
    'apps.max_per_organization',
    { default: 1_000, minimum: 0, maximum: 100_000, unit: 'apps' },
    'apps',
    'Apps that an organization may publish.',
  ),
  whole(
    'apps.max_versions_per_app',
    { default: 500, minimum: 1, maximum: 100_000, unit: 'versions' },
    'apps',
    'Versions that an app may have, retired ones included.',
  ),
  whole(
    'apps.oci_retry_seconds',
    { default: 10, minimum: 1, maximum: 3_600, unit: 'seconds' },
    'apps',
    'How long a launch that has failed waits before it is tried again.',
  ),
  whole(
    'apps.max_signing_keys_per_project',
    { default: 20, minimum: 1, maximum: 100, unit: 'keys' },
    'apps',
    'Public keys that a project may pin for its images.',
  ),
  whole(
    'apps.push_credential_seconds',
    { default: 900, minimum: 60, maximum: 86_400, unit: 'seconds' },
    'apps',
    'How long a login to push images of an app is good for.',
  ),
  whole(
    'apps.verification_retry_seconds',
    { default: 60, minimum: 1, maximum: 86_400, unit: 'seconds' },
    'apps',
    'How long verification waits after its first try without an answer; each further wait is twice as long.',
  ),
  whole(
    'apps.verification_retry_most_seconds',
    { default: 21_600, minimum: 1, maximum: 604_800, unit: 'seconds' },
    'apps',
    'The longest wait between two tries of verification.',
  ),
] as const satisfies readonly Policy[];
