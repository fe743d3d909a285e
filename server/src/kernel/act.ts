import type {
  DeclaredEvent,
  ErrorCode,
  Input,
  Output,
  PlatformRole,
  Route,
  TenantRole,
  WriteRoute,
} from '@gpuaas/contract';
import type { Fault } from './fault.ts';
import type { Ids } from './id.ts';

declare const brand: unique symbol;

/** The reach of a read: one organization, the caller's own objects, or everything (operators and our own processes). */
export type Reach = 'organization' | 'self' | 'platform';

/** A caller who reads. Every read has a caller, and row-level security gets its tenant. */
export interface Viewer {
  readonly actorId: string;
  readonly actorKind: 'user' | 'service_account' | 'node' | 'system';
  readonly actorRole: TenantRole | PlatformRole | 'none' | 'system';
  readonly reach: Reach;
  readonly organizationId: string | undefined;
  /** Set when the route's tenancy is a project; resolved and checked by the mount. */
  readonly projectId: string | undefined;
  /** The only projects that exist for a machine, when it is bounded: a list shows no others. People see all. */
  readonly projectIds?: readonly string[];
  readonly correlationId: string;
  readonly traceparent: string | undefined;
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  /** What the request was made with; our own processes need nothing. */
  readonly credential?: Credential;
}

/** The credential of a request. */
export interface Credential {
  readonly kind: 'oidc' | 'personal_token' | 'service_account' | 'storage_token';
  readonly tokenId: string | undefined;
  /** The sign-in that the token belongs to, as its issuer names it. */
  readonly sessionId: string | undefined;
  /** When the person last signed in, as far as the issuer says. */
  readonly signedInAt?: Date | undefined;
  /** How they proved it, in the words of RFC 8176. */
  readonly methods?: readonly string[] | undefined;
  /** Narrows what the roles allow; undefined when it does not. */
  readonly scopes: ReadonlySet<string> | undefined;
}

/** A caller who performs one named action. The edge makes one per write request; a job makes one per run. */
export interface Act extends Viewer {
  readonly id: string;
  readonly action: string;
  readonly [brand]: 'act';
}

/** A caller inside an organization, or inside one of its projects. */
export interface InOrganization {
  readonly organizationId: string;
}
export interface InProject extends InOrganization {
  readonly projectId: string;
}
/** What the mount has resolved before the handler of a route runs, by the tenancy that the route declares. */
export type TenancyOf<R extends Route> = R['tenancy']['kind'] extends 'header'
  ? InProject
  : R['tenancy']['kind'] extends 'path' | 'founds' | 'owner-of'
    ? InOrganization
    : unknown;

/** Makes the one act of a request or of a run. Only the mount, sagas, consumers and tasks call it; a lint rule keeps it so. */
export const makeAct = (viewer: Viewer, action: string, id: string): Act => ({ ...viewer, action, id }) as Act;

/** The cause of an act of our own processes: the request or event that began it. */
export type ActOrigin = Pick<Viewer, 'correlationId'> &
  Partial<Pick<Viewer, 'traceparent' | 'organizationId' | 'projectId'>>;

/** One of our own processes at work. `name` is who: `outbox-relay`, `saga:project.remove`. */
export const systemViewer = (name: string, origin: ActOrigin): Viewer => ({
  actorId: name,
  actorKind: 'system',
  actorRole: 'system',
  reach: 'platform',
  organizationId: origin.organizationId,
  projectId: origin.projectId,
  correlationId: origin.correlationId,
  traceparent: origin.traceparent,
  address: undefined,
  userAgent: undefined,
});

/** Begins acts in the name of one of our own parts. Made where processes are put together, handed to domains. */
export type BeginAct = (action: string, origin: ActOrigin) => Act;
export const actsOf =
  (name: string, ids: Ids): BeginAct =>
  (action, origin) =>
    makeAct(systemViewer(name, origin), action, ids.next());

export interface Receipt {
  /** What was changed: `type` and id, for the audit log. */
  readonly target: { readonly type: string; readonly id: string };
  /** What changed, in the words of the domain. Never a secret. What could name a person is kept apart (particulars.ts). */
  readonly change?: object;
  /** The person whose erasure takes the particulars of the change with it: the target if it is a person, else the actor. */
  readonly about?: string;
  /** `failure` records an attempt that was refused. */
  readonly result?: 'success' | 'failure';
  /** The tenant of the audit row and the events, for an act that learns it on the way: accepting an invitation. */
  readonly organizationId?: string;
  /** The same for the project: a node reports about an allocation whose project it does not know. */
  readonly projectId?: string;
  readonly events: readonly DeclaredEvent[] | 'none';
}
export interface Commit<T> {
  readonly value: T;
  readonly [brand]: 'commit';
}
export interface Abandon<F extends Fault> {
  readonly fault: F;
  readonly [brand]: 'abandon';
}
/** What a finished write hands back; the only thing a write handler may answer with. */
export interface Written<T> {
  readonly value: T;
  readonly [brand]: 'written';
}
export type Ended = Commit<unknown> | Abandon<Fault>;
export type Outcome<E extends Ended> = E extends Commit<infer T> ? Written<T> : E extends Abandon<infer F> ? F : never;

/**
 * A statement is a name and a text. The name makes Postgres plan it once per connection and makes it countable in
 * metrics; the text is written where it is used, never glued together.
 */
export interface Sql {
  readonly name: string;
  readonly text: string;
}
export const sql = (name: string, text: string): Sql => ({ name, text });

export interface ReadTx {
  rows<R>(statement: Sql, values?: readonly unknown[]): Promise<R[]>;
}
export interface WriteTx extends ReadTx {
  run(statement: Sql, values?: readonly unknown[]): Promise<number>;
  /**
   * Sends `what`, a short word without a comma, to the listeners of a channel after the commit and never without it.
   * Best effort: if the process dies in between, listeners find out a little later.
   */
  wake(channel: string, what: string): void;
  commit<T>(value: T, receipt: Receipt): Commit<T>;
  /** Ends without writing: the transaction rolls back and the fault is the answer. */
  abandon<F extends Fault>(fault: F): Abandon<F>;
  readonly [brand]: 'write';
}
export interface Database {
  /** Runs READ ONLY in Postgres, so a write in disguise fails there. */
  read<T>(who: Viewer, work: (tx: ReadTx) => Promise<T>): Promise<T>;
  /** One write per act: a second one on the same act throws. May run `work` again after a serialization failure. */
  write<E extends Ended>(act: Act, work: (tx: WriteTx) => Promise<E>): Promise<Outcome<E>>;
}

export type Answer<R extends Route> = R extends WriteRoute ? Written<Output<R>> : Output<R>;
export type Handler<R extends Route, Parts> = (
  parts: Parts,
  who: (R extends WriteRoute ? Act : Viewer) & TenancyOf<R>,
  input: Input<R>,
) => Promise<Answer<R> | Fault<R['errors'][number]>>;

/** A handler bound to its route and its parts; the mount sees nothing else of a domain. */
export interface Mounted {
  readonly route: Route;
  readonly handle: (who: Viewer, input: Input<Route>) => Promise<unknown>;
}

/** `on(route, handler)` ties a handler to its contract; binding it to parts makes it mountable. */
export const handlers =
  <Parts>() =>
  <R extends Route>(route: R, handler: Handler<R, Parts>) =>
  (parts: Parts): Mounted => ({
    route,
    handle: (who, input) => handler(parts, who as Parameters<typeof handler>[1], input as Input<R>),
  });

export type Declared<R extends Route> = R['errors'][number] & ErrorCode;
