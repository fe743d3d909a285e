import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from './errors.ts';
import type { Lane } from './lanes.ts';
import type { NumberPolicyKey } from './policies.ts';
import type { Scope } from './scopes.ts';

/** Nothing is public by omission: public routes and routes without a tenant say why. */
export type Auth =
  | { readonly kind: 'public'; readonly why: string }
  | {
      readonly kind: 'user';
      readonly scope: Scope;
      readonly serviceAccounts: 'allowed' | 'refused';
      /** Credentials are created and revoked by a person who signed in. A token cannot create tokens. */
      readonly personalTokens?: 'refused';
    }
  | AdminAuth
  | { readonly kind: 'node' };

interface AdminAuth {
  readonly kind: 'admin';
  readonly scope: Scope;
}
/** A recent sign-in, by the policy that says how recent; or why none is needed. */
export type StepUp = { readonly maxAge: NumberPolicyKey } | { readonly unneeded: string };

/** The tenant of a request. The mount resolves it before any handler runs. */
export type Tenancy =
  /** No tenant; says why. */
  | { readonly kind: 'none'; readonly why: string }
  /** The caller's own objects, in any organization. */
  | { readonly kind: 'self' }
  /** A new organization. The mount creates its id, so the write already runs inside the tenant's boundary. */
  | { readonly kind: 'founds' }
  /** The project that X-Project-ID names. */
  | { readonly kind: 'header' }
  /** The organization that a path parameter names. */
  | { readonly kind: 'path'; readonly param: string }
  /** The owner of the object that a path parameter names. */
  | { readonly kind: 'owner-of'; readonly param: string };

interface RouteBase {
  /** `noun_verb`; names the handler, the SDK method and the idempotency scope. */
  readonly id: `${string}_${string}`;
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly auth: Auth;
  readonly tenancy: Tenancy;
  readonly lane: Lane;
  /** The refusals of the handler itself; those of the mount follow from the rest of the declaration. */
  readonly errors: readonly ErrorCode[];
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly response: TSchema;
  /**
   * Asks for a recent sign-in. Writes of operators cannot leave it out: they say how recent, or why none is needed. Those that
   * need one take no personal token.
   */
  readonly stepUp?: StepUp;
  /** Exists only beside a simulated fleet; everywhere else there is no such path. */
  readonly only?: 'simulator';
  /** The answer contains a secret: it is never cached and never stored for replay. */
  readonly shownOnce?: readonly string[];
}
export interface ReadRoute extends RouteBase {
  readonly method: 'GET';
  /** Answers text instead of JSON, in one of these media types; the handler's value is the text, and `query.format` chooses. */
  readonly text?: readonly (
    | 'application/x-ndjson'
    | 'text/csv'
    | 'text/event-stream'
    | 'text/plain; version=0.0.4'
    | 'application/vnd.apache.parquet'
  )[];
  /**
   * Sent in pieces, for as long as the caller listens and is allowed to. The credential is checked again while it runs. A
   * browser cannot set headers here, so `query.project_id` may replace X-Project-ID.
   */
  readonly stream?: true;
}
/**
 * A file, sent as `application/octet-stream`. It is read only after admission and passed to the handler as a stream, so
 * no process holds it whole. The query declares `size_bytes` and `digest`; the handler refuses bytes that differ.
 */
export interface Upload {
  /** The name of the file among the inputs of the SDKs. */
  readonly name: string;
  readonly description: string;
  readonly largestBytes: number;
}
interface WriteBase extends RouteBase {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: TSchema;
  /** The body is a file instead of JSON. */
  readonly upload?: Upload;
  readonly status?: 200 | 201 | 202;
  /** `natural` says why a replay is harmless without a key; the list of these only shrinks. */
  readonly idempotency: 'key' | { readonly natural: string };
  /** `noun.verb`, the name in the audit log. */
  readonly audit: `${string}.${string}`;
}
interface TenantWrite extends WriteBase {
  readonly auth: Exclude<Auth, AdminAuth>;
}
interface AdminWrite extends WriteBase {
  readonly auth: AdminAuth;
  readonly stepUp: StepUp;
}
export type WriteRoute = TenantWrite | AdminWrite;
export type Route = ReadRoute | WriteRoute;

export const defineRoute = <const R extends Route>(route: R): R => route;

type In<R, K extends string> = R extends { readonly [P in K]: infer S extends TSchema } ? Static<S> : undefined;
export interface Input<R extends Route> {
  readonly params: In<R, 'params'>;
  readonly query: In<R, 'query'>;
  readonly body: R extends { readonly upload: Upload } ? AsyncIterable<Uint8Array> : In<R, 'body'>;
}
export type Output<R extends Route> = Static<R['response']>;

/** The rate limit that a request counts against. Reads of these lanes have larger ones of their own. */
export const laneOf = ({ lane, method }: Route): Lane => (method === 'GET' && readsOf[lane]) || lane;
const readsOf: Partial<Readonly<Record<Lane, Lane>>> = { default: 'reads', financial: 'balances' };

export const isWrite = (route: Route): route is WriteRoute => route.method !== 'GET';
export const uploadOf = (route: Route): Upload | undefined => (isWrite(route) ? route.upload : undefined);

/** How recent a sign-in the route asks for, if any. */
export const stepUpOf = ({ stepUp }: Route): NumberPolicyKey | undefined =>
  stepUp && 'maxAge' in stepUp ? stepUp.maxAge : undefined;
/** Fleet-wide operations need a person who is present. A token stored in a file does not suffice. */
export const refusesPersonalTokens = (route: Route): boolean =>
  (route.auth.kind === 'user' && route.auth.personalTokens === 'refused') ||
  (route.auth.kind === 'admin' && isWrite(route) && stepUpOf(route) !== undefined);
