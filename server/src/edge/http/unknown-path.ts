import type { Route } from '@gpuaas/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../kernel/fault.ts';
import type { Page } from '../../ports/identity-provider/port.ts';
import { refuse } from './failures.ts';
import { isOfPerson } from './shown.ts';

/** A path without a route, or without this method. A browser is shown `lost`. */
export function refuseUnknown(
  routes: readonly Route[],
  request: FastifyRequest,
  reply: FastifyReply,
  lost?: Page,
): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const allowed = methodsOf(routes, path);
  if (allowed.length > 0) {
    reply.header('allow', allowed.join(', '));
    return refuse(reply, request.id, new Fault('method_not_allowed', `This path takes ${allowed.join(', ')}.`));
  }
  if (lost && isOfPerson(request)) return reply.code(404).headers(lost.headers).send(lost.html);
  // The path is not repeated, because people paste secrets into paths.
  return refuse(reply, request.id, new Fault('route_not_found', 'There is no such path. /openapi.json lists all.'));
}

/** The methods that a path takes, whatever stands in the places of its parameters. */
function methodsOf(routes: readonly Route[], path: string): string[] {
  const given = path.split('/');
  const fits = ({ path: shape }: Route) => {
    const parts = shape.split('/');
    return parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at]);
  };
  // Where a path with fixed words and one with a parameter fit alike, the fixed words are meant.
  const fixed = ({ path: shape }: Route) => shape.split('/').filter((part) => !part.startsWith('{')).length;
  const fitting = routes.filter(fits);
  const most = Math.max(...fitting.map(fixed));
  const methods = new Set<string>(fitting.filter((route) => fixed(route) === most).map(({ method }) => method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
