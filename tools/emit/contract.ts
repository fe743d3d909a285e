import type { ErrorKind, EventKind, MachineTable, Route } from '@gpuaas/contract';
import { errors, events, lanes, machines, policies, routes, scopes, streams } from '@gpuaas/contract';

/** Everything an emitter may read. Emitters take it as a value, so that tests can show them a contract of three lines. */
export interface Contract {
  readonly version: string;
  readonly routes: readonly Route[];
  readonly events: readonly EventKind[];
  readonly machines: readonly MachineTable[];
  readonly errors: Readonly<Record<string, ErrorKind>>;
  readonly scopes: Readonly<Record<string, string>>;
  /** Each lane with the requests per minute that one caller has in it, unless an operator decides otherwise. */
  readonly lanes: Readonly<Record<string, { readonly policy: string; readonly perMinute: number }>>;
  readonly streams: Readonly<Record<string, { readonly subjects: string; readonly maxAgeDays: number }>>;
}

function defaultOf(key: string): number {
  const policy = policies.find((candidate) => candidate.key === key);
  if (policy === undefined) throw new Error(`A lane reads the policy "${key}", which no policy declares.`);
  if (policy.type !== 'integer') throw new Error(`A lane reads the policy "${key}", which is not a number.`);
  return policy.default;
}

export const contractOf = (version: string): Contract => ({
  version,
  routes,
  events,
  machines,
  errors,
  scopes,
  streams,
  lanes: Object.fromEntries(
    Object.entries(lanes).map(([name, { policy }]) => [name, { policy, perMinute: defaultOf(policy) }]),
  ),
});
