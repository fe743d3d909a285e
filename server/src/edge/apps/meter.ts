import type { IncomingMessage } from 'node:http';
import type { AppMeter } from '@gpuaas/contract/ingress';

/** So much of one answer is looked at; a larger one is carried, and its units are not counted. */
const mostBytes = 1_048_576;

/** Counts units in what an application answers. It only looks: the bytes go on as they came. */
export interface AnswerMeter {
  take(chunk: Buffer): void;
  /** What the answer says, once it is whole. */
  end(): Readonly<Record<string, number>>;
}

/** The number at `usage.prompt_tokens` and the like; undefined where there is none. */
function fieldOf(value: unknown, path: string): number | undefined {
  let at: unknown = value;
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return typeof at === 'number' && Number.isSafeInteger(at) && at >= 0 ? at : undefined;
}
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One JSON, or a stream of events with one JSON each: there the last value of a field counts, as streams say their totals at the end. */
export function makeAnswerMeter(
  answer: Pick<IncomingMessage, 'headers' | 'statusCode'>,
  meters: readonly AppMeter[],
): AnswerMeter {
  const type = answer.headers['content-type'] ?? '';
  const isEvents = type.startsWith('text/event-stream');
  const isRead =
    (answer.statusCode ?? 0) < 300 &&
    answer.headers['content-encoding'] === undefined &&
    (isEvents || type.startsWith('application/json')) &&
    meters.some(({ field }) => field !== null);
  const seen: Record<string, number> = {};
  let kept = '';
  let isTooLarge = false;
  const decoder = new TextDecoder();
  const read = (value: unknown) => {
    for (const { name, field } of meters) {
      const found = field === null ? undefined : fieldOf(value, field);
      if (found !== undefined) seen[name] = found;
    }
  };
  const readEvents = () => {
    const lines = kept.split(/\r?\n/);
    kept = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) read(parsed(line.slice('data:'.length)));
  };
  return {
    take(chunk) {
      if (!isRead || isTooLarge) return;
      kept += decoder.decode(chunk, { stream: true });
      if (isEvents) readEvents();
      if (kept.length > mostBytes) {
        isTooLarge = true;
        kept = '';
      }
    },
    end() {
      if (isRead && !isTooLarge) read(parsed(isEvents ? kept.replace(/^data:/, '') : kept));
      const requests = meters.filter(({ field }) => field === null).map(({ name }) => [name, 1] as const);
      return { ...seen, ...Object.fromEntries(requests) };
    },
  };
}
