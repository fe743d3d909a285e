import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { defineInternalRoute } from '../internal/route.ts';

const strict = { additionalProperties: false } as const;
const proxy = ['app-proxy'] as const;

/** The first label of the host name of a route. Names of hosts do not tell upper from lower case; ours are lower. */
export const routeLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const routeLabelPattern = routeLabel.source;
const RouteLabel = Type.String({ pattern: routeLabelPattern });
/** What a browser shows after its sign-in, and what it gets for one code. */
const Secret = Type.String({ pattern: '^[A-Za-z0-9_-]{20,128}$' });

export const routeFamilies = ['browser', 'api'] as const;
export type RouteFamily = (typeof routeFamilies)[number];
export const clientAuthModes = ['browser_oidc', 'api_bearer'] as const;
export type ClientAuthMode = (typeof clientAuthModes)[number];

/** What the proxy may know of a route before it knows who calls. */
const RouteFacts = Type.Object(
  { route_id: Uuid, family: Type.Enum([...routeFamilies]), auth: Type.Enum([...clientAuthModes]) },
  strict,
);

/** A unit that the manifest of an app counts. */
const AppMeter = Type.Object(
  {
    name: Type.String({ maxLength: 32 }),
    field: Type.Union([Type.String({ maxLength: 400 }), Type.Null()], {
      description: 'Where the number stands in the JSON of an answer; null counts answers.',
    }),
  },
  strict,
);
export type AppMeter = Static<typeof AppMeter>;

/** A count never grows beyond this: a larger one would not be exact. */
export const largestCount = Number.MAX_SAFE_INTEGER;
/** Units of one route in one report. */
export const mostUnits = 16;
const Count = Type.Integer({ minimum: 0, maximum: largestCount });
/** What one copy of the proxy has counted for one route in one hour, since the copy began. */
export const AppUseCounts = Type.Object(
  {
    ...{ route_id: Uuid, instance_id: Uuid, hour: Timestamp, last_at: Timestamp },
    ...{ requests: Count, failures: Count, bytes_in: Count, bytes_out: Count },
    units: Type.Record(Type.String({ maxLength: 32 }), Count, { maxProperties: mostUnits }),
  },
  strict,
);
export type AppUseCounts = Static<typeof AppUseCounts>;
/** Routes and hours in one report. */
export const mostUses = 500;

/**
 * What the api decides about one request. `refused` covers a foreign tenant and a route that does not exist with the same answer.
 */
export const AppAdmission = Type.Union([
  Type.Object(
    {
      decision: Type.Literal('admitted'),
      route: RouteFacts,
      actor_id: Type.String({ maxLength: 64 }),
      organization_id: Uuid,
      instance_id: Uuid,
      allocation_id: Uuid,
      node_id: Uuid,
      workload_id: Uuid,
      port: Type.Integer({ minimum: 1, maximum: 65_535 }),
      simulated: Type.Boolean(),
      meters: Type.Array(AppMeter, { maxItems: mostUnits }),
    },
    strict,
  ),
  Type.Object(
    {
      decision: Type.Literal('sign_in'),
      family: Type.Enum([...routeFamilies]),
      sign_in_url: Type.Union([Type.String({ maxLength: 2_000 }), Type.Null()], {
        description: 'Where a browser signs in; null where a bearer token is wanted.',
      }),
    },
    strict,
  ),
  Type.Object({ decision: Type.Literal('refused') }, strict),
  Type.Object(
    {
      decision: Type.Literal('not_running'),
      family: Type.Enum([...routeFamilies]),
      state: Type.String({ maxLength: 32 }),
    },
    strict,
  ),
]);
export type AppAdmission = Static<typeof AppAdmission>;

export const appIngressRoutes = {
  /** May the bearer of this credential use the route of this name, now. */
  admit: defineInternalRoute({
    path: '/internal/v1/app-ingress/admit',
    callers: proxy,
    carries: Type.Object(
      {
        label: RouteLabel,
        credential: Type.Union([
          Type.Object({ kind: Type.Literal('none') }, strict),
          Type.Object({ kind: Type.Literal('session'), secret: Secret }, strict),
          Type.Object({ kind: Type.Literal('bearer'), token: Type.String({ minLength: 1, maxLength: 8_192 }) }, strict),
        ]),
        address: Type.String({ maxLength: 64 }),
      },
      strict,
    ),
    answers: AppAdmission,
  }),
  /** Takes the one-time code that the console got for a person, and answers the session of that person at this route. */
  signIn: defineInternalRoute({
    path: '/internal/v1/app-ingress/sign-in',
    callers: proxy,
    carries: Type.Object({ label: RouteLabel, code: Secret, state: Secret }, strict),
    answers: Type.Object({ secret: Secret, expires_at: Timestamp }, strict),
  }),
  /** What a copy has counted. The same report twice changes nothing. */
  reportUse: defineInternalRoute({
    path: '/internal/v1/app-ingress/report-use',
    callers: proxy,
    carries: Type.Object(
      { copy_id: Uuid, uses: Type.Array(AppUseCounts, { minItems: 1, maxItems: mostUses }) },
      strict,
    ),
    answers: Type.Object({ stored: Count }, strict),
  }),
  /** May this node keep a tunnel: its certificate is good now. */
  admitNode: defineInternalRoute({
    path: '/internal/v1/app-ingress/admit-node',
    callers: proxy,
    carries: Type.Object(
      { node_id: Uuid, certificate_serial: Type.String({ pattern: '^[0-9A-Fa-f]{1,64}$' }) },
      strict,
    ),
    answers: Type.Object({ admitted: Type.Boolean() }, strict),
  }),
} as const;
