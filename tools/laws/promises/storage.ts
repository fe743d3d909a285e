import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';
const when = '2026-01-01T00:00:00Z';
const aFile = {
  is_folder: false,
  blob_id: uuid,
  deleted_at: null,
  deleted_by: null,
  purge_at: null,
  folder: '',
  name: 'a',
};

/** Promises of tenants' files. */
export const storageUniqueness: Readonly<Record<string, Promised>> = {
  storage_buckets_pkey: {
    promise: 'the sizes of a project are one row, under whose lock they change',
    table: 'storage_buckets',
    row: { project_id: uuid },
  },
  storage_namespaces_organization_id_id_key: {
    promise: 'what lies in a namespace belongs to its organization',
    table: 'storage_namespaces',
    row: { organization_id: uuid, id: uuid },
    aside: 'storage_namespaces_pkey',
  },
  storage_namespaces_path: {
    promise: 'a project has one namespace of a kind and a name',
    table: 'storage_namespaces',
    row: { project_id: uuid, kind: 'datasets', name: 'imagenet' },
  },
  storage_objects_path: {
    promise: 'a path is one file or one folder',
    table: 'storage_objects',
    row: { ...aFile, namespace_id: uuid },
  },
  storage_grants_once: {
    promise: 'a grantee has one grant on a namespace at a time',
    table: 'storage_grants',
    row: { namespace_id: uuid, grantee_kind: 'project', grantee_id: uuid, revoked_at: null },
  },
  storage_links_secret: {
    promise: 'a secret opens one link',
    table: 'storage_links',
    row: { secret_hash: Buffer.alloc(32), created_at: when, expires_at: '2027-01-01T00:00:00Z' },
  },
  storage_tokens_secret: {
    promise: 'a storage token belongs to one allocation',
    table: 'storage_tokens',
    row: { token_hash: Buffer.alloc(32), level: 'read' },
  },
};

export const storageChecks: Readonly<Record<string, Promised>> = {
  storage_buckets_sizes: {
    promise: 'a project stores no negative number of bytes',
    table: 'storage_buckets',
    row: { stored_bytes: -1, reserved_bytes: 0 },
  },
  storage_namespaces_named: {
    promise: 'shared and artifacts exist once, and the others have names',
    table: 'storage_namespaces',
    row: { kind: 'shared', name: 'x' },
  },
  storage_blobs_used: {
    promise: 'bytes are due for removal when no file uses them, and never before',
    table: 'storage_blobs',
    row: { uses: 1, removable_at: when },
  },
  storage_objects_bytes: {
    promise: 'a file has bytes, and a folder has none',
    table: 'storage_objects',
    row: { ...aFile, is_folder: true },
  },
  storage_objects_trash: {
    promise: 'what lies in the trash says since when, by whom and until when',
    table: 'storage_objects',
    row: { ...aFile, deleted_at: when },
  },
  storage_links_ends: {
    promise: 'a link ends after it was made',
    table: 'storage_links',
    row: { created_at: when, expires_at: when },
  },
  storage_objects_folder: {
    promise: 'a folder in a path ends with a slash',
    table: 'storage_objects',
    row: { ...aFile, folder: 'a' },
  },
};
