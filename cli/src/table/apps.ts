import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { because, limit, oneOf } from './words.ts';

const someId = '01935a2c-0000-7000-8000-000000000001';
const app: ArgSpec = {
  name: 'APP',
  meaning: 'the app: publisher/slug or its id',
  field: 'app_id',
  as: 'app',
};
const version: ArgSpec = { name: 'VERSION', meaning: 'the id of a version', field: 'app_version_id' };
const file: ArgSpec = { name: 'FILE', optional: true, meaning: 'the manifest, in YAML or JSON (default: app.yaml)' };
const revision: FlagSpec = {
  ...{ type: 'string', value: 'N', as: 'number' },
  meaning: 'only if the revision is still this one',
};
const visibility = oneOf('WHO', choices.app_create.visibility, 'who finds the app');
const lifecycle: FlagSpec = {
  ...oneOf('STATE', choices.app_version_list.lifecycle_state, 'only versions that have come this far'),
  field: 'lifecycle_state',
};
const trust: FlagSpec = {
  ...oneOf('STATE', choices.app_version_list.trust_state, 'only versions with this trust'),
  field: 'trust_state',
};
const appColumns = ['id', 'reference', 'name', 'visibility', 'created_at'];
const versionColumns = ['id', 'version', 'lifecycle_state', 'trust_state', 'channel', 'image_digest', 'created_at'];
const keyColumns = ['id', 'name', 'kind', 'fingerprint', 'created_at'];
const sourceColumns = ['id', 'registry', 'repository', 'created_at'];
const load = () => import('../apps/manifest-commands.ts');

export const apps: CommandGroup = {
  title: 'Apps',
  commands: [
    {
      name: 'app catalog',
      summary: 'The apps that your project may find',
      flags: { limit },
      examples: ['gpuaas app catalog'],
      operation: 'catalog_app_list',
      columns: ['id', 'reference', 'name', 'summary', 'own'],
      none: 'There are no apps. gpuaas app init begins one.',
      reads: true,
    },
    {
      name: 'app versions',
      summary: 'The versions of an app that your project may see, and whether it may launch them',
      args: [app],
      flags: { limit },
      examples: ['gpuaas app versions demo/echo'],
      operation: 'catalog_version_list',
      columns: ['id', 'version', 'lifecycle_state', 'trust_state', 'launchable', 'reason'],
      none: 'There is no version that you may see.',
      reads: true,
    },
    {
      name: 'app init',
      summary: 'Write a manifest to begin with',
      args: [{ name: 'SLUG', meaning: 'the slug of the app' }],
      flags: {
        template: oneOf(
          'KIND',
          ['browser', 'api', 'model-server', 'notebook', 'batch'],
          'what it is like (default: browser)',
        ),
        from: {
          ...{ type: 'string', value: 'FILE' },
          meaning: 'a compose file to convert; several services become a manifest each',
        },
        file: { type: 'string', value: 'FILE', meaning: 'where (default: app.yaml)' },
      },
      examples: [
        'gpuaas app init echo',
        'gpuaas app init my-model --template model-server --file model.yaml',
        'gpuaas app init shop --from compose.yaml',
      ],
      load: async () => (await load()).init,
    },
    {
      name: 'app validate',
      summary: 'Look for mistakes in a manifest, without asking the server',
      args: [file],
      examples: ['gpuaas app validate', 'gpuaas app validate model.yaml'],
      load: async () => (await load()).validate,
    },
    {
      name: 'app publish',
      summary: 'Publish a version from a manifest; the first one creates the app',
      description: 'A version never changes: what is different gets another number. The image is named by digest.',
      args: [file],
      flags: {
        visibility,
        image: { type: 'string', value: 'IMAGE', meaning: 'instead of runtime.image: registry/repository@sha256:…' },
      },
      examples: ['gpuaas app publish', 'gpuaas app publish model.yaml --visibility organization'],
      load: async () => (await load()).publish,
    },
    {
      name: 'app create',
      summary: 'Create an app without a version',
      args: [
        { name: 'SLUG', meaning: 'the slug of the app', field: 'slug' },
        { name: 'NAME', meaning: 'its name', field: 'name' },
      ],
      flags: { visibility, summary: { type: 'string', value: 'TEXT', meaning: 'what it does, in a sentence' } },
      examples: ["gpuaas app create echo 'Echo server' --visibility organization"],
      operation: 'app_create',
      columns: appColumns,
    },
    {
      name: 'app list',
      summary: 'The apps that your project publishes',
      flags: { limit },
      examples: ['gpuaas app list'],
      operation: 'app_list',
      columns: appColumns,
      none: 'Your project publishes no apps. gpuaas app init begins one.',
      reads: true,
    },
    {
      name: 'app show',
      summary: 'One app that you publish',
      args: [app],
      examples: ['gpuaas app show demo/echo'],
      operation: 'app_get',
      reads: true,
    },
    {
      name: 'app update',
      summary: 'Rename an app, or change who finds it',
      args: [app],
      flags: {
        name: { type: 'string', value: 'NAME', meaning: 'its name' },
        summary: { type: 'string', value: 'TEXT', meaning: 'what it does, in a sentence' },
        visibility,
      },
      examples: ['gpuaas app update demo/echo --visibility platform'],
      operation: 'app_update',
      columns: appColumns,
    },
    {
      name: 'app version list',
      summary: 'The versions of an app that you publish',
      args: [app],
      flags: { lifecycle, trust, limit },
      examples: ['gpuaas app version list demo/echo', 'gpuaas app version list demo/echo --trust unverified'],
      operation: 'app_version_list',
      columns: versionColumns,
      none: 'The app has no such version.',
      reads: true,
    },
    {
      name: 'app version show',
      summary: 'One version that you publish, with its evidence',
      args: [version],
      examples: [`gpuaas app version show ${someId}`],
      operation: 'app_version_get',
      columns: [...versionColumns, 'image_repository', 'evidence', 'verification', 'revocation_reason', 'revision'],
      reads: true,
    },
    {
      name: 'app version verify',
      summary: 'Have a version verified again now, after it was signed or its SBOM was added',
      args: [version],
      examples: [`gpuaas app version verify ${someId}`],
      operation: 'app_version_verify',
      columns: [...versionColumns, 'verification'],
    },
    {
      name: 'app registry login',
      summary: 'Print a login that works for minutes, to push images of an app to the registry of the installation',
      description:
        'Podman, docker, skopeo, oras and cosign take it. It opens the repository of this app and no other one.',
      args: [app],
      examples: [`gpuaas app registry login ${someId}`],
      load: async () => (await import('../apps/registry-login.ts')).login,
    },
    {
      name: 'app key add',
      summary: 'Pin the public key that images of your project are signed with',
      args: [
        { name: 'NAME', meaning: 'what you call it', field: 'name' },
        { name: 'KEY', meaning: 'the public key as PEM, such as "$(cat cosign.pub)"', field: 'public_key' },
      ],
      examples: ['gpuaas app key add release "$(cat cosign.pub)"'],
      operation: 'app_signing_key_create',
      columns: keyColumns,
    },
    {
      name: 'app key list',
      summary: 'The public keys that your project has pinned',
      flags: { limit },
      examples: ['gpuaas app key list'],
      operation: 'app_signing_key_list',
      columns: keyColumns,
      none: 'Your project has pinned no key. gpuaas app key add pins one.',
      reads: true,
    },
    {
      name: 'app key remove',
      summary: 'Withdraw a public key; versions that it verified stay verified',
      args: [{ name: 'KEY', meaning: 'its id', field: 'app_signing_key_id' }],
      examples: [`gpuaas app key remove ${someId} --yes`],
      operation: 'app_signing_key_delete',
      columns: keyColumns,
      asks: 'Withdraw the key {}?',
    },
    {
      name: 'app promote',
      summary: 'Move a version to its next channel: dev, test, staging, prod',
      args: [version],
      flags: { revision },
      examples: [`gpuaas app promote ${someId}`],
      operation: 'app_version_promote',
      columns: versionColumns,
    },
    {
      name: 'app deprecate',
      summary: 'Deprecate a version: say that it has a successor',
      args: [version],
      flags: { revision },
      examples: [`gpuaas app deprecate ${someId}`],
      operation: 'app_version_deprecate',
      columns: versionColumns,
    },
    {
      name: 'app retire',
      summary: 'Retire a version for good; what runs goes on',
      args: [version],
      flags: { revision },
      examples: [`gpuaas app retire ${someId} --yes`],
      operation: 'app_version_retire',
      columns: versionColumns,
      asks: 'Retire the version {} for good?',
    },
    {
      name: 'app entitle',
      summary: 'Let another organization, or one project of it, use an app that is not for everybody',
      args: [app, { name: 'ORGANIZATION', meaning: 'the id of the organization', field: 'organization_id' }],
      flags: {
        only: { type: 'string', value: 'PROJECT', field: 'project_id', meaning: 'only this project of it, by id' },
      },
      examples: [`gpuaas app entitle demo/echo ${someId}`],
      operation: 'app_entitlement_create',
      columns: ['id', 'organization_id', 'project_id', 'created_at'],
    },
    {
      name: 'app entitlements',
      summary: 'Who may use an app besides those who find it anyway',
      args: [app],
      flags: { limit },
      examples: ['gpuaas app entitlements demo/echo'],
      operation: 'app_entitlement_list',
      columns: ['id', 'organization_id', 'project_id', 'created_at'],
      none: 'Nobody else is entitled.',
      reads: true,
    },
    {
      name: 'app unentitle',
      summary: 'Revoke an entitlement; what runs goes on',
      args: [app, { name: 'ENTITLEMENT', meaning: 'its id', field: 'app_entitlement_id' }],
      examples: [`gpuaas app unentitle demo/echo ${someId} --yes`],
      operation: 'app_entitlement_delete',
      asks: 'Take the entitlement {1} back?',
    },
    {
      name: 'ops app list',
      summary: 'Versions of all apps, newest first',
      flags: {
        lifecycle,
        trust,
        publisher: {
          type: 'string',
          value: 'ORGANIZATION',
          field: 'organization_id',
          meaning: 'only of this one, by id',
        },
        limit,
      },
      examples: ['gpuaas ops app list --trust unverified'],
      operation: 'admin_app_version_list',
      columns: ['id', 'app_reference', ...versionColumns.slice(1)],
      none: 'There is no such version.',
      reads: true,
    },
    {
      name: 'ops app affected',
      summary: 'Whom a revocation of a version would affect: the instances that run it now',
      args: [version],
      examples: [`gpuaas ops app affected ${someId}`],
      operation: 'admin_app_version_affected',
      columns: ['instances', 'organizations', 'projects', 'affected'],
      reads: true,
    },
    {
      name: 'ops app source list',
      summary: 'The registries that images of verified apps may come from',
      flags: { limit },
      examples: ['gpuaas ops app source list'],
      operation: 'admin_app_source_list',
      columns: sourceColumns,
      none: 'No registry is named, so nothing is verified. gpuaas ops app source add names one.',
      reads: true,
    },
    {
      name: 'ops app source add',
      summary: 'Let images of verified apps come from a registry, or from a part of it',
      args: [{ name: 'REGISTRY', meaning: 'its name, with a port where it has one', field: 'registry' }],
      flags: {
        below: { type: 'string', value: 'PATH', field: 'repository', meaning: 'only repositories below this path' },
      },
      examples: [
        'gpuaas ops app source add registry.example.com',
        'gpuaas ops app source add ghcr.io --below our-team',
      ],
      operation: 'admin_app_source_create',
      columns: sourceColumns,
    },
    {
      name: 'ops app source remove',
      summary: 'Take a source back; what was verified stays so',
      args: [{ name: 'SOURCE', meaning: 'its id', field: 'app_source_id' }],
      examples: [`gpuaas ops app source remove ${someId} --yes`],
      operation: 'admin_app_source_delete',
      columns: sourceColumns,
      asks: 'Take the source {} back?',
    },
    {
      name: 'ops app revoke',
      summary: 'Revoke the trust in a version for good, and say what becomes of what runs',
      args: [version],
      flags: {
        reason: because,
        effect: {
          ...oneOf('EFFECT', choices.admin_app_version_revoke.effect, 'what becomes of instances that run'),
          needed: true,
        },
      },
      examples: [`gpuaas ops app revoke ${someId} --reason 'it calls home' --effect stop --yes`],
      description: 'It says which instances run the version, of how many projects and organizations, before it asks.',
      load: async () => (await import('../apps/revoke.ts')).revoke,
    },
  ],
};
