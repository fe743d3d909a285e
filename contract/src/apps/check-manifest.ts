import { Value } from 'typebox/value';
import { AppManifest, largestManifestBytes } from './manifest.ts';
import { parameterFault } from './parameters.ts';

export interface ManifestProblem {
  /** Where, as `endpoints.0.port`. */
  readonly field: string;
  readonly message: string;
}
export type CheckedManifest =
  | { readonly manifest: AppManifest }
  | { readonly problems: readonly [ManifestProblem, ...ManifestProblem[]] };

/** How many problems one answer lists. */
const listed = 20;
const deepest = 12;

/**
 * Whether this is a manifest. The API, the command line and the console ask this one function, so what one of them takes, all take.
 */
export function checkManifest(value: unknown): CheckedManifest {
  const text = asJson(value);
  if (text === undefined)
    return one('', 'is no plain data: it is cyclic, too deep, or has values that JSON does not have');
  if (new TextEncoder().encode(text).length > largestManifestBytes) {
    return one('', `is larger than ${largestManifestBytes} bytes`);
  }
  // A copy: what is checked is what is kept, without prototypes, getters or keys that JSON does not have.
  const plain: unknown = JSON.parse(text);
  if (!Value.Check(AppManifest, plain)) return refuse(schemaProblems(plain));
  const problems = rules.flatMap((rule) => rule(plain));
  return problems.length > 0 ? refuse(problems) : { manifest: plain };
}

const one = (field: string, message: string): CheckedManifest => ({ problems: [{ field, message }] });
const refuse = (problems: readonly ManifestProblem[]): CheckedManifest => {
  const [first = { field: '', message: 'is no manifest' }, ...rest] = problems.slice(0, listed);
  return { problems: [first, ...rest] };
};

function asJson(value: unknown): string | undefined {
  if (depthOf(value, 0) > deepest || !isText(value)) return undefined;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
/** Stops at the limit, so that a cycle ends there too. */
function depthOf(value: unknown, at: number): number {
  if (typeof value !== 'object' || value === null || at > deepest) return at;
  return Math.max(at, ...Object.values(value).map((each) => depthOf(each, at + 1)));
}

/** Whether each text is one that a database and a signature can hold. */
function isText(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\u0000');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, each]) => isText(key) && isText(each));
}

function schemaProblems(value: unknown): ManifestProblem[] {
  const found = Value.Errors(AppManifest, value).map((error) => ({
    field: error.instancePath.slice(1).replaceAll('/', '.'),
    message: error.message,
  }));
  return found.filter(
    ({ field, message }, index) =>
      found.findIndex((each) => each.field === field && each.message === message) === index,
  );
}

type Rule = (manifest: AppManifest) => ManifestProblem[];

/** Each place whose value another place has already. */
function repeated(
  places: readonly (readonly [field: string, value: string | number])[],
  what: string,
): ManifestProblem[] {
  const first = new Map<string | number, string>();
  return places.flatMap(([field, value]) => {
    const before = first.get(value);
    if (before === undefined) {
      first.set(value, field);
      return [];
    }
    return [{ field, message: `${what} ${value} is used by ${before} already` }];
  });
}

const endpointsDiffer: Rule = ({ endpoints }) => [
  ...repeated(
    endpoints.map(({ name }, index) => [`endpoints.${index}.name`, name]),
    'the name',
  ),
  ...repeated(
    endpoints.map(({ port }, index) => [`endpoints.${index}.port`, port]),
    'the port',
  ),
];
const variablesDiffer: Rule = ({ runtime, secrets = [], parameters, endpoints }) =>
  repeated(
    [
      ...(runtime.env ?? []).map(({ name }, index) => [`runtime.env.${index}.name`, name] as const),
      ...secrets.map(({ env }, index) => [`secrets.${index}.env`, env] as const),
      ...endpoints.flatMap(({ base_path_env: env }, index) =>
        env === undefined ? [] : [[`endpoints.${index}.base_path_env`, env] as const],
      ),
      ...Object.entries(parameters?.properties ?? {}).flatMap(([name, { 'x-env': env }]) =>
        env === undefined ? [] : [[`parameters.properties.${name}.x-env`, env] as const],
      ),
    ],
    'the variable',
  );
const namesDiffer: Rule = ({ secrets = [], metering = [], tests = [] }) => [
  ...repeated(
    secrets.map(({ name }, index) => [`secrets.${index}.name`, name]),
    'the name',
  ),
  ...repeated(
    metering.map(({ name }, index) => [`metering.${index}.name`, name]),
    'the name',
  ),
  ...repeated(
    tests.map(({ name }, index) => [`tests.${index}.name`, name]),
    'the name',
  ),
];
const volumesAreApart: Rule = ({ storage = [] }) => [
  ...repeated(
    storage.map(({ name }, index) => [`storage.${index}.name`, name]),
    'the name',
  ),
  ...repeated(
    storage.map(({ path }, index) => [`storage.${index}.path`, path]),
    'the path',
  ),
  ...storage.flatMap(({ path }, index) =>
    storage
      .filter((other) => path.startsWith(`${other.path}/`))
      .map((other) => ({ field: `storage.${index}.path`, message: `lies inside of ${other.path}` })),
  ),
];
const endpointsExist: Rule = ({ endpoints, lifecycle, metering = [], tests = [] }) => {
  const names = new Set(endpoints.map(({ name }) => name));
  const asked = [
    ...(lifecycle.readiness ? [['lifecycle.readiness.endpoint', lifecycle.readiness.endpoint] as const] : []),
    ...metering.map(({ source }, index) => [`metering.${index}.source.endpoint`, source.endpoint] as const),
    ...tests.map(({ endpoint }, index) => [`tests.${index}.endpoint`, endpoint] as const),
  ];
  return asked
    .filter(([, name]) => !names.has(name))
    .map(([field, name]) => ({ field, message: `there is no endpoint ${name}` }));
};
const authFits: Rule = ({ endpoints }) =>
  endpoints.flatMap(({ kind, auth, health }, index) => [
    ...(kind === 'api' && auth === 'platform'
      ? [{ field: `endpoints.${index}.auth`, message: 'an endpoint of kind api takes bearer or none_internal' }]
      : []),
    ...(kind === 'browser' && auth === 'bearer'
      ? [{ field: `endpoints.${index}.auth`, message: 'an endpoint of kind browser takes platform or none_internal' }]
      : []),
    ...(kind === 'ssh' && health !== undefined
      ? [{ field: `endpoints.${index}.health`, message: 'an endpoint of kind ssh has no path to ask' }]
      : []),
  ]);
const gpusInOrder: Rule = ({ resources: { gpu } }) =>
  gpu && gpu.min > gpu.max ? [{ field: 'resources.gpu.min', message: `is more than max, ${gpu.max}` }] : [];
const memoryHolds: Rule = ({ resources: { memory_mib: memory, shm_mib: shm = 64, scratch_mib: scratch = 64 } }) =>
  shm + scratch > memory
    ? [{ field: 'resources.memory_mib', message: `is less than /dev/shm and /tmp together, ${shm + scratch}` }]
    : [];
const parametersFit: Rule = ({ parameters }) => {
  const properties = Object.entries(parameters?.properties ?? {});
  const names = new Set(properties.map(([name]) => name));
  return [
    ...(parameters?.required ?? [])
      .filter((name) => !names.has(name))
      .map((name) => ({ field: 'parameters.required', message: `there is no parameter ${name}` })),
    ...properties.flatMap(([name, parameter]) => {
      const field = `parameters.properties.${name}`;
      const [low, high] =
        parameter.type === 'string'
          ? [parameter.minLength, parameter.maxLength]
          : parameter.type === 'boolean'
            ? []
            : [parameter.minimum, parameter.maximum];
      if (low !== undefined && high !== undefined && low > high)
        return [{ field, message: 'its least is more than its most' }];
      const fault = parameter.default === undefined ? undefined : parameterFault(parameter, parameter.default);
      return fault === undefined ? [] : [{ field: `${field}.default`, message: fault }];
    }),
    ...repeated(
      properties.flatMap(([name, { 'x-arg': flag }]) =>
        flag === undefined ? [] : [[`parameters.properties.${name}.x-arg`, flag] as const],
      ),
      'the flag',
    ),
  ];
};
/** `platform_managed` apps act for many tenants; nothing here may run them yet. */
const modeFits: Rule = ({ operating_mode: mode, control_plane_scope: scope }) =>
  mode === 'tenant_dedicated' && scope === 'platform'
    ? [
        {
          field: 'control_plane_scope',
          message: 'a control plane of the whole platform is platform_managed, never tenant_dedicated',
        },
      ]
    : [];

const oneCurrency: Rule = ({ metering = [] }) => {
  const [first] = metering.flatMap(({ price }) => (price ? [price.currency] : []));
  return metering.flatMap(({ price }, index) =>
    price && price.currency !== first
      ? [
          {
            field: `metering.${index}.price.currency`,
            message: `is another one than ${first}: a version has one currency`,
          },
        ]
      : [],
  );
};

const rules: readonly Rule[] = [
  endpointsDiffer,
  variablesDiffer,
  namesDiffer,
  volumesAreApart,
  endpointsExist,
  authFits,
  gpusInOrder,
  memoryHolds,
  parametersFit,
  modeFits,
  oneCurrency,
];
