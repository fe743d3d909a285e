import { type Policy, whole } from '../policy.ts';

/** Files of tenants: how much, how long, and how fast rights end. */
export const storagePolicies = [
  whole(
    'storage.quota_gib',
    { default: 1_000, minimum: 0, maximum: 100_000_000, unit: 'GiB' },
    'storage',
    'What one project may store: files, uploads that are under way, and what lies in the trash.',
  ),
  whole(
    'storage.part_mib',
    { default: 16, minimum: 5, maximum: 512, unit: 'MiB' },
    'storage',
    'The size of the parts that a file is uploaded in. Files with more than 10,000 of them get larger ones.',
  ),
  whole(
    'storage.upload_hours',
    { default: 24, minimum: 1, maximum: 720, unit: 'hours' },
    'storage',
    'How long an upload may be resumed before what has arrived of it is removed.',
  ),
  whole(
    'storage.address_seconds',
    { default: 60, minimum: 5, maximum: 900, unit: 'seconds' },
    'storage',
    'How long an address for one part or one download works. A revoked right ends with the last address that it gave.',
  ),
  whole(
    'storage.trash_days',
    { default: 7, minimum: 0, maximum: 365, unit: 'days' },
    'storage',
    'How long deleted files lie in the trash before they are removed for good.',
  ),
  whole(
    'storage.replaced_days',
    { default: 1, minimum: 0, maximum: 365, unit: 'days' },
    'storage',
    'How long a file that was replaced by another upload lies in the trash.',
  ),
  whole(
    'storage.open_uploads_max',
    { default: 1_000, minimum: 1, maximum: 100_000, unit: 'uploads' },
    'storage',
    'Uploads of one project that may be under way at a time.',
  ),
  whole(
    'storage.namespaces_max',
    { default: 10_000, minimum: 1, maximum: 1_000_000, unit: 'namespaces' },
    'storage',
    'Namespaces that one project may have.',
  ),
  whole(
    'storage.grants_max',
    { default: 100, minimum: 1, maximum: 10_000, unit: 'grants' },
    'storage',
    'Grants that one namespace may have at a time.',
  ),
  whole(
    'storage.link_hours_max',
    { default: 168, minimum: 0, maximum: 8_760, unit: 'hours' },
    'storage',
    'How long a link to a file may work. 0 means that none can be made, and none is opened.',
  ),
  whole(
    'storage.links_max',
    { default: 100, minimum: 1, maximum: 10_000, unit: 'links' },
    'storage',
    'Links to files that one project may have at a time.',
  ),
  whole(
    'storage.tokens_per_allocation_max',
    { default: 10, minimum: 1, maximum: 1_000, unit: 'tokens' },
    'storage',
    'Storage tokens that one allocation may have at a time.',
  ),
  whole(
    'storage.entries_per_change_max',
    { default: 10_000, minimum: 1, maximum: 100_000, unit: 'entries' },
    'storage',
    'Files and folders that one move or deletion of a folder may touch.',
  ),
] as const satisfies readonly Policy[];
