import { type Route, uploadOf } from '@gpuaas/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Mounted } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { failpoint } from '../../kernel/process/failpoint.ts';
import { type OpenSpan, openServerSpan } from '../../kernel/telemetry/trace.ts';
import { dropBody } from '../gate/pass.ts';
import type { Answered } from './answers.ts';
import { lingerAfter, readUpload } from './body/upload.ts';
import { header } from './shown.ts';
import { isAnswered, type Stages, type Standby } from './stages.ts';

/** One route of the contract: its stages before the body is read, then the rest of them and the handler. */
export function mountRoute(
  app: Pick<FastifyInstance, 'register' | 'route'>,
  { route, handle, stages, clock }: Mounted & { readonly stages: Stages; readonly clock: Clock },
  count: (outcome: Answered) => void,
): void {
  const waiting = new WeakMap<FastifyRequest, { readonly span: OpenSpan; readonly standby: Standby }>();
  const upload = uploadOf(route);
  const answer = async (reply: FastifyReply, outcome: Answered) => {
    count(outcome);
    await failpoint('http.before-response', route.id);
    return reply.code(outcome.status).headers(outcome.headers).send(outcome.body);
  };
  const options: RouteOptions = {
    method: route.method,
    url: route.path.replaceAll(/\{([a-z_]+)\}/g, ':$1'),
    config: { ...(route.auth.kind !== 'public' && { countsCallers: true }), ...(upload && { isUpload: true }) },
    onRequest: async (request, reply) => {
      const span = openSpanOf(route, request);
      reply.raw.once('close', () => span.end(reply.statusCode));
      const outcome = await span.within(() => stages.admit(request));
      if (isAnswered(outcome)) {
        // A person who is known gets to read the refusal; a stranger's file is not worth receiving.
        const isKnown = outcome.status !== 401 && outcome.status !== 429;
        return answer(upload && isKnown ? lingerAfter(request, reply, clock) : dropBody(request, reply), outcome);
      }
      waiting.set(request, { span, standby: outcome });
      return undefined;
    },
    handler: async (request, reply) => {
      const known = waiting.get(request);
      if (!known) throw new Error(`${route.id} was reached without having been admitted`);
      return known.span.within(async () => {
        const outcome = await stages.finish(request, known.standby, handle, () => readUpload(request, reply));
        return answer(upload ? lingerAfter(request, reply, clock) : reply, outcome);
      });
    },
  };
  if (!upload) {
    app.route(options);
    return;
  }
  app.register(async (scope) => {
    // The body is not parsed: the handler reads it, or nobody does.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.route(options);
  });
}

const openSpanOf = (route: Route, request: FastifyRequest): OpenSpan =>
  openServerSpan(`${route.method} ${route.path}`, {
    parent: header(request, 'traceparent'),
    attributes: { 'http.route': route.path, 'http.request.method': route.method, correlation_id: request.id },
  });
