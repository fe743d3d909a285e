import type { Route } from '@gpuaas/contract';
import type { FastifyRequest } from 'fastify';
import type { Viewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { callerAddress } from '../../gate/caller-address.ts';
import type { StreamSeats } from '../../gate/stream-seats.ts';
import type { Answered } from '../answers.ts';
import { mediaType } from '../encode.ts';
import { sendStream } from '../stream.ts';
import type { Passed } from './passed.ts';

const streamRetrySeconds = 10;

/** Answers a request with a stream, which holds a seat for as long as it is open. */
export function makeAnswerWatch(
  route: Route,
  parts: {
    readonly seats: StreamSeats;
    readonly clock: Clock;
    /** Aborts when the process stops. */
    readonly stopping: AbortSignal;
    /** Whether the caller of an open stream would still be admitted. */
    readonly mayStay: (request: FastifyRequest, viewer: Viewer) => Promise<boolean>;
  },
) {
  const isFile = route.method === 'GET' && !route.text?.includes('text/event-stream');
  return async ({ request, answers, viewer, input, handle }: Passed): Promise<Answered> => {
    const leave = parts.seats.take(viewer.actorId, callerAddress(request.ip), viewer);
    if (leave instanceof Fault) {
      answers.retryAfter(streamRetrySeconds);
      return answers.problem(leave);
    }
    const gone = new AbortController();
    request.raw.once('close', () => gone.abort());
    gone.signal.addEventListener('abort', leave, { once: true });
    if (request.raw.destroyed) gone.abort();
    const value = await handle(viewer, input).catch((error: unknown) => {
      leave();
      throw error;
    });
    if (value instanceof Fault) {
      leave();
      return answers.problem(value);
    }
    const mayStay = () => parts.mayStay(request, viewer);
    const signal = AbortSignal.any([gone.signal, parts.stopping]);
    const stream = sendStream(value as AsyncIterable<string>, { mayStay, clock: parts.clock, signal, isFile });
    stream.once('close', leave);
    return answers.value(200, stream, mediaType(route, input.query));
  };
}
