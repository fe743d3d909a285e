import { type Static, Type } from 'typebox';
import { Name, Slug } from '../ids.ts';
import { OciImageReference } from '../node/oci.ts';
import { AppParameters } from './parameters.ts';

/**
 * What a publisher says about an app: `gpuaas.app/v1`. A manifest is written by a tenant and run beside other tenants, so what it must
 * not ask for has no field here: no tag, no root, no capability, no host path, no host network. The schema is the first of two checks;
 * `checkManifest` is the second one and looks at what fields say about each other.
 */
const strict = { additionalProperties: false } as const;
const Label = Type.String({ pattern: '^[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?$', maxLength: 32 });
const Text = Type.String({ minLength: 1, maxLength: 300, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]+$' });
/** One word of a command line. It may have any letter but NUL, which no program can be given. */
const Argument = Type.String({ maxLength: 4_096, pattern: '^[^\\u0000]*$' });
export const EnvironmentName = Type.String({
  pattern: '^(?!GPUAAS_|LD_)[A-Za-z_][A-Za-z0-9_]{0,127}$',
  description:
    'Names that begin with GPUAAS_ belong to the platform, and those with LD_ change how programs are loaded.',
});
const MountPath = Type.String({
  maxLength: 255,
  pattern: '^(?!/(?:proc|sys|dev|etc)(?:/|$))(?:/\\.?[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}){1,8}$',
});
const Id = Type.Integer({ minimum: 1, maximum: 2_000_000_000 });
const Mebibytes = (maximum: number, description?: string) =>
  Type.Integer({ minimum: 16, maximum, ...(description && { description }) });
const HttpPath = Type.String({ pattern: '^/[A-Za-z0-9._~!$&()*+,;=:@%/?-]{0,500}$', maxLength: 501 });

export const AppVersionNumber = Type.String({
  pattern:
    '^(?:0|[1-9][0-9]{0,5})\\.(?:0|[1-9][0-9]{0,5})\\.(?:0|[1-9][0-9]{0,5})(?:-[0-9A-Za-z]{1,20}(?:\\.[0-9A-Za-z]{1,20}){0,4})?$',
  maxLength: 120,
  description: 'Semantic version: 1.2.3, or 1.2.3-rc.1.',
});
export const imageDigestPattern = '^sha256:[0-9a-f]{64}$';

const Metadata = Type.Object(
  {
    slug: Slug,
    name: Name,
    version: AppVersionNumber,
    summary: Text,
    license: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9.+() -]{0,99}$', description: 'An SPDX expression.' }),
    ),
    homepage: Type.Optional(
      Type.String({ pattern: '^https://[A-Za-z0-9.-]{1,253}(?:/[^\\s<>"\']{0,300})?$', maxLength: 600 }),
    ),
    icon: Type.Optional(
      Type.String({
        pattern: '^data:image/png;base64,[A-Za-z0-9+/]{1,16000}={0,2}$',
        maxLength: 16_100,
        description: 'A PNG as data URL. The console shows it and fetches nothing from elsewhere.',
      }),
    ),
    tags: Type.Optional(Type.Array(Label, { maxItems: 10, uniqueItems: true })),
  },
  strict,
);

const Runtime = Type.Object(
  {
    image: OciImageReference,
    entrypoint: Type.Optional(
      Type.Array(Argument, { minItems: 1, maxItems: 64, description: 'Instead of that of the image.' }),
    ),
    args: Type.Optional(Type.Array(Argument, { maxItems: 64 })),
    env: Type.Optional(
      Type.Array(
        Type.Object(
          { name: EnvironmentName, value: Type.String({ maxLength: 4_096, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }) },
          strict,
        ),
        { maxItems: 100, description: 'Plain values that everybody may read. Secrets have a section of their own.' },
      ),
    ),
    user: Type.Object({ uid: Id, gid: Id }, { ...strict, description: 'Never root.' }),
    file_system: Type.Optional(
      Type.Union(
        [
          Type.Object({ kind: Type.Literal('read_only') }, strict),
          Type.Object({ kind: Type.Literal('writable'), size_mib: Mebibytes(1_048_576) }, strict),
        ],
        { description: 'The root file system of the container; read only when left out.' },
      ),
    ),
    egress: Type.Optional(
      Type.Enum(['none', 'internet'], { description: 'What the container may reach; none when left out.' }),
    ),
  },
  strict,
);

const Resources = Type.Object(
  {
    gpu: Type.Optional(
      Type.Object(
        {
          min: Type.Integer({ minimum: 0, maximum: 64 }),
          max: Type.Integer({ minimum: 0, maximum: 64 }),
          memory_min_mib: Type.Optional(Mebibytes(16_777_216, 'Memory that each GPU needs.')),
        },
        { ...strict, description: 'No GPU when left out.' },
      ),
    ),
    cpu_millis: Type.Integer({ minimum: 10, maximum: 1_024_000, description: 'Thousandths of a processor.' }),
    memory_mib: Mebibytes(16_777_216),
    shm_mib: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_048_576, description: 'The size of /dev/shm; 64 when left out.' }),
    ),
    scratch_mib: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_048_576, description: 'The size of /tmp; 64 when left out.' }),
    ),
    pids: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_536, description: 'Processes and threads; 1,024 when left out.' }),
    ),
  },
  strict,
);

const Endpoint = Type.Object(
  {
    name: Label,
    kind: Type.Enum(['browser', 'api', 'ssh']),
    port: Type.Integer({ minimum: 1_024, maximum: 65_535, description: 'Lower ports are for root, which no app is.' }),
    auth: Type.Enum(['platform', 'bearer', 'none_internal'], {
      description:
        'platform: a person who is signed in to the console; bearer: a token of a person or service account; none_internal: no route from outside.',
    }),
    health: Type.Optional(
      Type.Object(
        {
          path: HttpPath,
          every_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600, description: '10 when left out.' })),
          timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, description: '5 when left out.' })),
        },
        { ...strict, description: 'Answers 200 to 399 when the app is well. A connection is enough when left out.' },
      ),
    ),
    base_path_env: Type.Optional(
      Type.String({ ...EnvironmentName, description: 'Gets the public address of the endpoint.' }),
    ),
  },
  strict,
);

const Secret = Type.Object(
  {
    name: Label,
    env: EnvironmentName,
    summary: Text,
    required: Type.Boolean(),
    generated: Type.Optional(
      Type.Boolean({ description: 'The platform makes one for each instance when nobody brings one.' }),
    ),
  },
  strict,
);
const Storage = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' }),
    path: MountPath,
    size_mib: Mebibytes(16_777_216, 'A hard limit.'),
    read_only: Type.Optional(Type.Boolean()),
  },
  strict,
);

const Lifecycle = Type.Object(
  {
    start_timeout_seconds: Type.Integer({ minimum: 1, maximum: 7_200 }),
    readiness: Type.Optional(
      Type.Object(
        { endpoint: Label, path: Type.Optional(HttpPath) },
        { ...strict, description: 'Ready when this answers. The first endpoint with a health path when left out.' },
      ),
    ),
    drain_seconds: Type.Integer({ minimum: 0, maximum: 600, description: 'Time to end after it was asked to.' }),
    idle_stop_minutes: Type.Optional(
      Type.Integer({ minimum: 5, maximum: 43_200, description: 'Stops after this time without a request.' }),
    ),
  },
  strict,
);

export const UnitPrice = Type.Object(
  {
    amount_minor: Type.String({
      pattern: '^[1-9][0-9]{0,8}$',
      description: 'Whole minor units: 15 in USD is 0.15 USD.',
    }),
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    per: Type.Union([Type.Literal(1), Type.Literal(1_000), Type.Literal(1_000_000)], {
      description: 'For how many units the amount is.',
    }),
  },
  {
    ...strict,
    description:
      'What the project pays that runs the app, beside its allocation. It is part of the version: another price is another version.',
  },
);
const Meter = Type.Object(
  {
    name: Label,
    price: Type.Optional(UnitPrice),
    unit: Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}$' }),
    source: Type.Union([
      Type.Object({ kind: Type.Literal('requests'), endpoint: Label }, strict),
      Type.Object(
        {
          kind: Type.Literal('response_field'),
          endpoint: Label,
          field: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}(?:\\.[A-Za-z_][A-Za-z0-9_]{0,63}){0,4}$' }),
        },
        { ...strict, description: 'A whole number in the JSON of each answer, as usage.prompt_tokens.' },
      ),
    ]),
  },
  strict,
);
const Test = Type.Object(
  {
    name: Label,
    endpoint: Label,
    path: HttpPath,
    expect_status: Type.Integer({ minimum: 100, maximum: 599 }),
    expect_text: Type.Optional(Type.String({ minLength: 1, maxLength: 300 })),
  },
  strict,
);

export const appProfile = 'gpuaas.launchable_oci_workload';
export const appSchema = 'gpuaas.app/v1';
export const operatingModes = ['tenant_dedicated', 'platform_managed'] as const;
export const controlPlaneScopes = ['project', 'organization', 'platform'] as const;

export const AppManifest = Type.Object(
  {
    schema: Type.Literal(appSchema),
    profile: Type.Literal(appProfile),
    metadata: Metadata,
    runtime: Runtime,
    resources: Resources,
    parameters: Type.Optional(AppParameters),
    endpoints: Type.Array(Endpoint, { maxItems: 16 }),
    secrets: Type.Optional(Type.Array(Secret, { maxItems: 32 })),
    storage: Type.Optional(Type.Array(Storage, { maxItems: 8, description: 'It outlives the container.' })),
    lifecycle: Lifecycle,
    metering: Type.Optional(Type.Array(Meter, { maxItems: 16 })),
    operating_mode: Type.Enum([...operatingModes]),
    control_plane_scope: Type.Enum([...controlPlaneScopes], {
      description: 'What one control plane of the app serves. Instances belong to a project in any case.',
    }),
    tests: Type.Optional(Type.Array(Test, { maxItems: 20 })),
  },
  { ...strict, $id: 'AppManifest' },
);
export type AppManifest = Static<typeof AppManifest>;
export type AppEndpoint = AppManifest['endpoints'][number];

/** As JSON. What the API takes in one request is four times as large. */
export const largestManifestBytes = 65_536;

/** The two halves of `registry/repository@sha256:…`. */
export function partsOfImage(image: string): { readonly repository: string; readonly digest: string } {
  const at = image.lastIndexOf('@');
  return { repository: image.slice(0, at), digest: image.slice(at + 1) };
}
