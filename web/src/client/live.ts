import { type Gpuaas, GpuaasError, openGpuaas, type StreamedEvent } from '@gpuaas/sdk';
import { letGo } from './let-go.ts';

/** How long after a connection that could not be made the next one is tried. */
const againMs = 2_000;

export type LiveStatus = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'refused';
export interface Listener {
  event(event: StreamedEvent): void;
  status(status: LiveStatus): void;
  /** Called after each gap, because cached answers may be out of date. */
  caughtUp(): void;
}

/** One stream of a project, for the whole page. */
export const watchProject = (project: string, tell: Listener): (() => void) =>
  watch(tell, (client, after, signal) =>
    client.events.stream({ project_id: project, notifications: true, ...after }, { project, signal }),
  );
/** The same about everything, for those who may see it. */
export const watchOperators = (tell: Listener): (() => void) =>
  watch(tell, (client, after, signal) => client.adminOps.eventStream({ notifications: true, ...after }, { signal }));

/**
 * The SDK resumes a stream from the last event. This adds the connection state, and restarts the stream for as long as
 * the page is open.
 */
function watch(
  tell: Listener,
  open: (client: Gpuaas, after: { readonly after?: string }, signal: AbortSignal) => AsyncIterable<StreamedEvent>,
): () => void {
  const end = new AbortController();
  let connection = new AbortController();
  let stood = false;
  let last: string | undefined;
  const listening: typeof fetch = async (input, init) => {
    tell.status(stood ? 'reconnecting' : 'connecting');
    const answer = await fetch(input, { ...init, credentials: 'same-origin' });
    if (!answer.ok || !answer.body) return answer;
    tell.status('live');
    if (stood) tell.caughtUp();
    stood = true;
    return answer;
  };
  const client = openGpuaas({ baseUrl: location.origin, fetch: listening });
  const listen = async () => {
    while (!end.signal.aborted) {
      connection = new AbortController();
      const signal = AbortSignal.any([end.signal, connection.signal]);
      try {
        for await (const event of open(client, last === undefined ? {} : { after: last }, signal)) {
          last = event.id;
          tell.event(event);
        }
      } catch (error) {
        if (end.signal.aborted) return;
        if (error instanceof GpuaasError && error.status < 500 && error.status !== 429) {
          // A cursor that is no longer kept is dropped: the stream starts from now, and all queries are refetched.
          if (error.code !== 'cursor_invalid' || last === undefined) {
            tell.status('refused');
            return;
          }
          last = undefined;
        }
        tell.status(navigator.onLine ? 'reconnecting' : 'offline');
      }
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  };
  // A browser that lost its network may hold a dead connection for minutes, so it is closed at once.
  const cut = () => {
    tell.status('offline');
    connection.abort();
  };
  addEventListener('offline', cut);
  letGo(listen());
  return () => {
    removeEventListener('offline', cut);
    end.abort();
  };
}

/** Which cached answers an event makes stale, by the first part of their keys. */
export const staleAfter = (type: string): readonly string[] =>
  type === 'notifications.changed' ? ['notifications'] : ['overview', ...changedBy(type)];
/** What begins or ends to be paid for changes how long a balance lasts. */
const changesCost = (type: string): boolean =>
  /^provisioning\.(?:active|releasing\.completed|requested|failed)$/.test(type);
function changedBy(type: string): readonly string[] {
  const [domain, thing] = type.split('.');
  if (domain === 'provisioning') {
    return thing === 'node'
      ? ['nodes', 'fleet', 'catalog']
      : ['allocations', 'allocation', 'groups', 'catalog', 'activity', ...(changesCost(type) ? ['balance'] : [])];
  }
  if (domain === 'tenancy') {
    if (thing === 'ssh_key') return ['ssh-keys', 'activity'];
    return ['members', 'invitations', 'projects', 'me', 'activity'];
  }
  if (domain === 'billing' || domain === 'payments') return ['billing', 'balance', 'quote', 'activity'];
  return ['activity'];
}
/** Operators see more: slots change with every allocation, and every event is in their list. */
export function staleForOperators(type: string): readonly string[] {
  if (type === 'notifications.changed') return ['notifications'];
  const always = ['events', 'correlation', 'audit', 'simulator', 'workflows'];
  if (type.startsWith('provisioning.alert.') || type.startsWith('provisioning.breaker.')) {
    return [...always, 'health', 'nodes', 'fleet'];
  }
  if (type.startsWith('provisioning.node.')) return [...always, 'nodes', 'fleet'];
  if (type.startsWith('provisioning.')) return [...always, 'allocations', 'nodes', 'fleet', 'tenants'];
  return [...always, 'tenants'];
}
