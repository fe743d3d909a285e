import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Fault, Outage } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { encodeProblem, framework, problemType } from './problem.ts';

/** A refusal that no stage of a route has seen. */
export function refuse(reply: FastifyReply, correlationId: string, fault: Fault): FastifyReply {
  const { status, body } = encodeProblem(fault, correlationId);
  return reply.code(status).header('content-type', problemType).send(body);
}

/** A server that we need is away, or too busy to take another connection, or its disk is full. */
export const isOutage = (error: unknown): boolean => {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return (
    error instanceof Outage ||
    (typeof code === 'string' && /^(?:08|53|57P)|^E(?:CONN|PIPE|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH)/.test(code)) ||
    (typeof message === 'string' &&
      /timeout exceeded when trying to connect|Connection terminated|not currently accepting connections/.test(message))
  );
};

/** What was thrown is logged whole and answered with its correlation id; what the framework refuses gets our words. */
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
      new Fault('service_unavailable', 'A service that this needs does not answer: try again.'),
    );
  }
  return refuse(
    reply,
    request.id,
    new Fault('internal_error', 'Something failed on our side. The correlation id finds it.'),
  );
}
