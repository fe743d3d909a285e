import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { allocation, limit, oneOf } from './words.ts';

const someId = '01935a2c-0000-7000-8000-000000000001';
const load = () => import('../storage/copy-commands.ts');
const path: ArgSpec = { name: 'PATH', meaning: 'a namespace and the path in it: datasets/a/x.bin', field: 'path' };
const from: ArgSpec = { name: 'FROM', meaning: 'what is there', field: 'from' };
const to: ArgSpec = { name: 'TO', meaning: 'its new path', field: 'to' };
const owner: FlagSpec = {
  ...{ type: 'string', value: 'ID', field: 'owner_project_id' },
  meaning: 'the project that owns the path, where a grant opens it to you',
};
const replace: FlagSpec = { type: 'boolean', meaning: 'replace a file that is there; it goes to the trash' };
const trashed: ArgSpec = { name: 'FILE', meaning: 'as gpuaas storage trash shows it', field: 'storage_object_id' };
const source: ArgSpec = { name: 'SOURCE', meaning: 'a path here, or storage: and a path there' };
const target: ArgSpec = { name: 'TARGET', meaning: 'the other side: storage: and a path there, or a path here' };
const objectColumns = ['path', 'is_folder', 'size_bytes', 'updated_at', 'checksum'];
const trashColumns = ['id', 'path', 'size_bytes', 'deleted_at', 'purge_at'];
const linkColumns = ['id', 'path', 'expires_at', 'opened', 'works'];
const tokenColumns = ['id', 'level', 'works', 'created_at', 'revoked_at'];
const grantColumns = ['id', 'path', 'grantee_kind', 'grantee_id', 'level', 'expires_at'];

export const storage: CommandGroup = {
  title: 'Storage',
  commands: [
    {
      name: 'ls',
      summary: 'What lies in a folder of the project',
      args: [path],
      flags: {
        recursive: { type: 'boolean', meaning: 'all files below it, without folders' },
        'owner-project-id': owner,
        limit,
      },
      examples: ['gpuaas ls datasets/imagenet/', 'gpuaas ls shared/ --recursive'],
      operation: 'storage_object_list',
      columns: objectColumns,
      none: 'The folder is empty. gpuaas cp stores a file.',
      reads: true,
    },
    {
      name: 'cp',
      summary: 'Store a file, or fetch one',
      description:
        'Bytes are sent in parts with checksums. An upload that was interrupted continues with --resume, a download when it is started again, from TARGET.part.',
      args: [source, target],
      flags: {
        resume: { type: 'string', value: 'ID', meaning: 'go on with this upload' },
        'owner-project-id': owner,
      },
      examples: ['gpuaas cp model.bin storage:checkpoints/run-1/', 'gpuaas cp storage:shared/a.bin .'],
      load: async () => (await load()).cp,
    },
    {
      name: 'sync',
      summary: 'Copy a folder, up or down; files that are there already are left out',
      description: 'Files are compared by checksum. Nothing is deleted, and links are not followed.',
      args: [source, target],
      flags: { 'owner-project-id': owner },
      examples: ['gpuaas sync data storage:datasets/mine/', 'gpuaas sync storage:datasets/mine/ data'],
      load: async () => (await load()).sync,
    },
    {
      name: 'rm',
      summary: 'Move a file or a folder to the trash',
      args: [path],
      flags: {
        recursive: { type: 'boolean', meaning: 'a folder with everything in it' },
        'owner-project-id': owner,
      },
      examples: ['gpuaas rm shared/a.bin --yes', 'gpuaas rm datasets/old/train/ --recursive --yes'],
      operation: 'storage_object_delete',
      columns: ['path', 'entries', 'size_bytes'],
      asks: 'Move {} to the trash?',
    },
    {
      name: 'storage usage',
      summary: 'What the project stores, and its quota',
      examples: ['gpuaas storage usage'],
      operation: 'storage_get',
      columns: ['stored_bytes', 'reserved_bytes', 'quota_bytes'],
      reads: true,
    },
    {
      name: 'storage namespaces',
      summary: 'The namespaces of the project',
      flags: { limit },
      examples: ['gpuaas storage namespaces'],
      operation: 'storage_namespace_list',
      columns: ['path', 'id', 'created_at'],
      none: 'Nothing is stored yet. gpuaas cp FILE storage:shared/ stores a file.',
      reads: true,
    },
    {
      name: 'storage create',
      summary: 'Create a namespace; an upload creates the one that it needs',
      args: [
        { name: 'KIND', meaning: choices.storage_namespace_create.kind.join(', '), field: 'kind' },
        { name: 'NAME', optional: true, meaning: 'its name, where the kind has many', field: 'name' },
      ],
      examples: ['gpuaas storage create datasets imagenet'],
      operation: 'storage_namespace_create',
      columns: ['path', 'id', 'created_at'],
    },
    {
      name: 'storage show',
      summary: 'One file or folder',
      args: [path],
      flags: { 'owner-project-id': owner },
      examples: ['gpuaas storage show shared/a.bin'],
      operation: 'storage_object_get',
      columns: [...objectColumns, 'content_type', 'part_bytes', 'created_by'],
      reads: true,
    },
    {
      name: 'storage mkdir',
      summary: 'Create a folder, and the folders above it that are missing',
      args: [path],
      flags: { 'owner-project-id': owner },
      examples: ['gpuaas storage mkdir shared/results/'],
      operation: 'storage_folder_create',
      columns: objectColumns,
    },
    {
      name: 'storage move',
      summary: 'Rename or move a file or a folder within a namespace',
      args: [from, to],
      flags: { replace, 'owner-project-id': owner },
      examples: ['gpuaas storage move shared/a.bin shared/old/a.bin'],
      operation: 'storage_object_move',
      columns: objectColumns,
    },
    {
      name: 'storage copy',
      summary: 'Copy a file within the project; no bytes are sent',
      args: [from, to],
      flags: { replace, 'owner-project-id': owner },
      examples: ['gpuaas storage copy checkpoints/run-1/last.bin artifacts/model.bin'],
      operation: 'storage_object_copy',
      columns: objectColumns,
    },
    {
      name: 'storage abort',
      summary: 'Give up an upload: what has arrived of it is removed',
      args: [{ name: 'UPLOAD', meaning: 'the id of an upload', field: 'storage_upload_id' }],
      examples: [`gpuaas storage abort ${someId}`],
      operation: 'storage_upload_abort',
      columns: ['id', 'path'],
    },
    {
      name: 'storage trash',
      summary: 'The trash: files that were deleted or replaced and can be restored',
      flags: { limit },
      examples: ['gpuaas storage trash'],
      operation: 'storage_trash_list',
      columns: trashColumns,
      none: 'The trash is empty.',
      reads: true,
    },
    {
      name: 'storage restore',
      summary: 'Restore a file from the trash to its path',
      args: [trashed],
      examples: [`gpuaas storage restore ${someId}`],
      operation: 'storage_trash_restore',
      columns: objectColumns,
    },
    {
      name: 'storage purge',
      summary: 'Remove a file from the trash for good',
      args: [trashed],
      examples: [`gpuaas storage purge ${someId} --yes`],
      operation: 'storage_trash_purge',
      columns: trashColumns,
      asks: 'Remove {} for good?',
    },
    {
      name: 'storage grants',
      summary: 'Grants that the project gave, or that it and you received',
      flags: {
        side: oneOf('SIDE', choices.storage_grant_list.side, 'by this project (default), or from others'),
        limit,
      },
      examples: ['gpuaas storage grants', 'gpuaas storage grants --side received'],
      operation: 'storage_grant_list',
      columns: grantColumns,
      none: 'There are no grants. gpuaas storage grant makes one.',
      reads: true,
    },
    {
      name: 'storage grant',
      summary: 'Let a person, a service account or another project use a namespace',
      args: [
        { name: 'NAMESPACE', meaning: 'such as datasets/imagenet/', field: 'path' },
        { name: 'KIND', meaning: choices.storage_grant_create.grantee_kind.join(', '), field: 'grantee_kind' },
        { name: 'GRANTEE', meaning: 'the id of the grantee', field: 'grantee_id' },
        { name: 'LEVEL', meaning: choices.storage_grant_create.level.join(', '), field: 'level' },
      ],
      flags: { 'expires-at': { type: 'string', value: 'TIME', meaning: 'when it ends, in RFC 3339' } },
      examples: [`gpuaas storage grant datasets/imagenet/ project ${someId} read`],
      operation: 'storage_grant_create',
      columns: grantColumns,
    },
    {
      name: 'storage revoke',
      summary: 'Revoke a grant',
      args: [{ name: 'GRANT', meaning: 'as gpuaas storage grants shows it', field: 'storage_grant_id' }],
      examples: [`gpuaas storage revoke ${someId} --yes`],
      operation: 'storage_grant_revoke',
      columns: grantColumns,
      asks: 'Revoke the grant {}?',
    },
    {
      name: 'storage share',
      summary: 'Make a link that opens one file without a sign-in, for a while',
      description: 'The link is shown once. Anyone who has it can fetch the file until it ends or is revoked.',
      args: [path],
      flags: { hours: { type: 'string', value: 'N', as: 'number', needed: true, meaning: 'how long it works' } },
      examples: ['gpuaas storage share artifacts/model.bin --hours 48'],
      operation: 'storage_link_create',
      columns: ['url', 'path', 'expires_at', 'id'],
    },
    {
      name: 'storage links',
      summary: 'The links to files of the project that have not ended',
      flags: { limit },
      examples: ['gpuaas storage links'],
      operation: 'storage_link_list',
      columns: linkColumns,
      none: 'There are no links. gpuaas storage share makes one.',
      reads: true,
    },
    {
      name: 'storage unshare',
      summary: 'Revoke a link to a file',
      args: [{ name: 'LINK', meaning: 'as gpuaas storage links shows it', field: 'storage_link_id' }],
      examples: [`gpuaas storage unshare ${someId} --yes`],
      operation: 'storage_link_revoke',
      columns: linkColumns,
      asks: 'Revoke the link {}?',
    },
    {
      name: 'storage token create',
      summary: 'Make a token with which the machine of an allocation uses the files of the project',
      description:
        'It ends with the allocation. In the machine, GPUAAS_TOKEN, GPUAAS_BASE_URL and GPUAAS_PROJECT let gpuaas cp and sync use it.',
      args: [allocation, { name: 'LEVEL', meaning: choices.storage_token_create.level.join(', '), field: 'level' }],
      examples: ['gpuaas storage token create trainer write'],
      operation: 'storage_token_create',
      columns: ['token', 'base_url', 'project_id', 'level', 'id'],
    },
    {
      name: 'storage token list',
      summary: 'The storage tokens of an allocation',
      args: [allocation],
      flags: { limit },
      examples: ['gpuaas storage token list trainer'],
      operation: 'storage_token_list',
      columns: tokenColumns,
      none: 'The allocation has no storage tokens. gpuaas storage token create makes one.',
      reads: true,
    },
    {
      name: 'storage token revoke',
      summary: 'Revoke a storage token of an allocation',
      args: [
        allocation,
        { name: 'TOKEN', meaning: 'its id, as gpuaas storage token list shows it', field: 'storage_token_id' },
      ],
      examples: [`gpuaas storage token revoke trainer ${someId} --yes`],
      operation: 'storage_token_revoke',
      columns: tokenColumns,
      asks: 'Revoke this storage token of {}?',
    },
  ],
};
