import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Fault, Outage } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { encodeProblem, framework, problemType } from './problem.ts';

/** A refusal outside of the stages of a route. */
export function refuse(reply: FastifyReply, correlationId: string, fault: Fault): FastifyReply {
  const { status, body } = encodeProblem(fault, correlationId);
  return reply.code(status).header('content-type', problemType).send(body);
}

/** A required server is unavailable, out of connections, or its disk is full. */
export const isOutage = (error: unknown): boolean => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    error instanceof Outage ||
    (typeof code === 'string' && /^(?:08|53|57P)|^E(?:CONN|PIPE|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH)/.test(code)) ||
    (typeof message === 'string' &&
      /timeout exceeded when trying to connect|Connection terminated|not currently accepting connections/.test(message))
  );
};

/** An exception is logged whole and answered with its correlation id; refusals of the framework get our words. */
export function answerError(
  parts: { readonly log: Log },
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const own = framework[error.code];
  if (own) return refuse(reply, request.id, new Fault(own.code, own.message));
  if (error.statusCode === 400)
    return refuse(reply, request.id, new Fault('invalid_request', 'The request could not be read.'));
  parts.log.error({ err: error, correlation_id: request.id, route: request.routeOptions?.url }, 'a request failed');
  if (isOutage(error)) {
    reply.header('retry-after', '1');
    return refuse(
      reply,
      request.id,
      new Fault('service_unavailable', 'A service that this request needs does not answer: try again.'),
    );
  }
  return refuse(
    reply,
    request.id,
    new Fault('internal_error', 'An internal error. The correlation id finds it in the logs.'),
  );
}
