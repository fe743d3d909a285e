/**
 * Requests and releases GPUs in a process of its own, as a watcher of the project's event stream: the clock runs from
 * the request to the event that says it is active. One stream serves all clients.
 */
export interface ActivationOrder {
  readonly url: string;
  readonly token: string;
  readonly project: string;
  readonly clients: number;
  readonly seconds: number;
  readonly warmupSeconds: number;
}
export interface ActivationResult {
  readonly activeMs: readonly number[];
  readonly releasedMs: readonly number[];
  readonly perSecond: number;
  readonly failed: number;
  readonly firstFailure: string | undefined;
}

export async function runActivations(order: ActivationOrder): Promise<ActivationResult> {
  const headers = {
    authorization: `Bearer ${order.token}`,
    'x-project-id': order.project,
    'content-type': 'application/json',
  };
  const leaving = new AbortController();
  const watch = await watchProject(order, headers, leaving.signal);
  const activeMs: number[] = [];
  const releasedMs: number[] = [];
  let [failed, firstFailure]: [number, string | undefined] = [0, undefined];
  const measureFrom = performance.now() + order.warmupSeconds * 1_000;
  const endAt = measureFrom + order.seconds * 1_000;
  const post = async (path: string, body: object) => {
    const response = await fetch(`${order.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { id: string };
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const live = async () => {
    const askedAt = performance.now();
    const { id } = await post('/api/v1/allocations', { sku: 'h200-sxm-slice', gpus: 1, region: 'local' });
    await watch.until(id, 'provisioning.active');
    const activeAt = performance.now();
    await post(`/api/v1/allocations/${id}/release`, {});
    await watch.until(id, 'provisioning.releasing.completed');
    if (askedAt < measureFrom || activeAt > endAt) return;
    activeMs.push(activeAt - askedAt);
    releasedMs.push(performance.now() - activeAt);
  };
  await Promise.all(
    Array.from({ length: order.clients }, async () => {
      while (performance.now() < endAt) {
        try {
          await live();
        } catch (error) {
          failed += 1;
          firstFailure ??= String(error);
          if (failed > order.clients) return;
        }
      }
    }),
  );
  leaving.abort();
  return { activeMs, releasedMs, failed, firstFailure, perSecond: activeMs.length / order.seconds };
}

const patienceMs = 60_000;

async function watchProject(order: ActivationOrder, headers: Record<string, string>, signal: AbortSignal) {
  const response = await fetch(`${order.url}/api/v1/events/stream?types=provisioning`, { headers, signal });
  if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`);
  const heard = new Set<string>();
  const waiting = new Map<string, (failure?: Error) => void>();
  const ready = Promise.withResolvers<void>();
  const hear = (frame: string) => {
    const type = /^event: ?(.*)$/m.exec(frame)?.[1];
    const data = /^data: ?(.*)$/m.exec(frame)?.[1];
    if (type === 'ready') return ready.resolve();
    if (type === undefined || data === undefined || type === 'provisioning.phase') return;
    const { payload } = JSON.parse(data) as { payload: { allocation_id: string } };
    const name = `${payload.allocation_id} ${type}`;
    const failure = type.endsWith('failed') ? new Error(`${type}: ${data}`) : undefined;
    if (failure) for (const [key, tell] of waiting) if (key.startsWith(payload.allocation_id)) tell(failure);
    const told = waiting.get(name);
    if (told) told();
    else heard.add(name);
  };
  const read = async (body: ReadableStream<Uint8Array>) => {
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      rest += text;
      const frames = rest.split('\n\n');
      rest = frames.pop() ?? '';
      frames.forEach(hear);
    }
  };
  read(response.body).catch((error: Error) => {
    ready.reject(error);
    for (const tell of waiting.values()) tell(error);
  });
  await ready.promise;
  return {
    until(id: string, type: string): Promise<void> {
      const name = `${id} ${type}`;
      if (heard.delete(name)) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const patience = setTimeout(() => tell(new Error(`no ${type} within ${patienceMs} ms`)), patienceMs);
        const tell = (failure?: Error) => {
          clearTimeout(patience);
          waiting.delete(name);
          if (failure) reject(failure);
          else resolve();
        };
        waiting.set(name, tell);
      });
    },
  };
}
