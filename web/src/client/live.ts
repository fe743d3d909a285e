import { GpuaasError, openGpuaas, type StreamedEvent } from '@gpuaas/sdk';
import { letGo } from './let-go.ts';

export type LiveStatus = 'connecting' | 'live' | 'reconnecting' | 'refused';

/**
 * One stream for the whole page. It is resumed by the SDK from the last event that was seen; what is added here is that
 * somebody can tell whether it stands. `changed` is also told after each gap, since what was kept may be out of date.
 */
export function watchProject(
  project: string,
  tell: { event(event: StreamedEvent): void; status(status: LiveStatus): void; caughtUp(): void },
): () => void {
  const end = new AbortController();
  let stood = false;
  const listening: typeof fetch = async (input, init) => {
    tell.status(stood ? 'reconnecting' : 'connecting');
    const answer = await fetch(input, { ...init, credentials: 'same-origin' });
    if (!answer.ok || !answer.body) return answer;
    tell.status('live');
    if (stood) tell.caughtUp();
    stood = true;
    const body = answer.body.pipeThrough(
      new TransformStream({
        flush() {
          if (!end.signal.aborted) tell.status('reconnecting');
        },
      }),
    );
    return new Response(body, answer);
  };
  const client = openGpuaas({ baseUrl: location.origin, fetch: listening });
  const listen = async () => {
    while (!end.signal.aborted) {
      try {
        for await (const event of client.events.stream({ project_id: project }, { project, signal: end.signal })) {
          tell.event(event);
        }
      } catch (error) {
        if (end.signal.aborted) return;
        if (error instanceof GpuaasError && error.status < 500 && error.status !== 429) {
          tell.status('refused');
          return;
        }
        tell.status('reconnecting');
      }
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  };
  letGo(listen());
  return () => end.abort();
}

/** What an event makes stale, by the first word of the keys under which answers are kept. */
export function staleAfter(type: string): readonly string[] {
  const [domain, thing] = type.split('.');
  if (domain === 'provisioning') {
    return thing === 'node' ? ['nodes', 'fleet', 'catalog'] : ['allocations', 'allocation', 'catalog', 'activity'];
  }
  if (domain === 'tenancy') {
    if (thing === 'ssh_key') return ['ssh-keys', 'activity'];
    return ['members', 'invitations', 'projects', 'me', 'activity'];
  }
  return ['activity'];
}
