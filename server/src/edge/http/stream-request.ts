import type { Route } from '@gpuaas/contract';
import type { FastifyRequest } from 'fastify';
import { header } from './shown.ts';

/** EventSource cannot set headers: the project is in the query, the last event id in its own header. */
export const isStream = (route: Route): boolean => route.method === 'GET' && route.stream === true;

export function projectInQuery(route: Route, request: FastifyRequest): string | undefined {
  const { project_id: named } = request.query as { project_id?: unknown };
  return isStream(route) && typeof named === 'string' ? named : undefined;
}

export function queryOf(route: Route, request: FastifyRequest): unknown {
  const last = isStream(route) ? header(request, 'last-event-id') : undefined;
  return last === undefined ? request.query : { ...(request.query as object), after: last };
}
