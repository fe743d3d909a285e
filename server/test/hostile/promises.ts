import { readFileSync } from 'node:fs';
import { errors, type Route, routes } from '@gpuaas/contract';
import { expect } from 'vitest';
import type { Reply } from '../../src/testing/world.ts';

/**
 * What the published document promises about refusals, read from the document itself: a client that was generated from
 * it must never meet a code that it was not told of.
 */
interface Operation {
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Answer {
  readonly $ref?: string;
  readonly 'x-gpuaas-errors'?: readonly string[];
}
const document = JSON.parse(readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Answer>> };
};

/** The codes that an operation may answer with one status. */
function promised(route: Route, status: number): readonly string[] {
  const answer = document.paths[route.path]?.[route.method.toLowerCase()]?.responses[status];
  const named = answer?.$ref?.split('/').at(-1);
  return (named ? document.components.responses[named] : answer)?.['x-gpuaas-errors'] ?? [];
}

/** The operation that a request is about, once the path is read as HTTP reads it. */
export function operationOf(method: string, url: string): Route | undefined {
  const given = segmentsOf(url);
  return shapes.find(
    ({ route, parts }) =>
      route.method === (method === 'HEAD' ? 'GET' : method) &&
      parts.length === given?.length &&
      parts.every((part, at) => part.startsWith('{') || part === given[at]),
  )?.route;
}
/** A path that is written out goes before one with a parameter in the same place. */
const shapes = routes
  .map((route) => ({ route, parts: route.path.split('/'), holes: route.path.split('{').length }))
  .sort((one, other) => one.holes - other.holes);

function segmentsOf(url: string): string[] | undefined {
  try {
    return new URL(`http://localhost${url}`).pathname.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** Where there is no operation, there are only these; the last when a part of the path is too long to be looked at. */
const ofNoOperation = ['route_not_found', 'method_not_allowed', 'invalid_request', 'validation_error'];

const allowed = (route: Route, status: number): readonly string[] => [...promised(route, status)];

/** Every refusal is one that was promised, in the form that was promised. */
export function expectPromised(method: string, url: string, reply: Reply, secrets: readonly string[] = []): void {
  const about = `${method} ${url.slice(0, 200)} → ${reply.status} ${reply.text.slice(0, 400)}`;
  expect(reply.status, about).toBeLessThan(500);
  expect(reply.headers['x-request-id'], about).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  expect(reply.headers['x-content-type-options'], about).toBe('nosniff');
  if (reply.status < 400) return;
  if (method !== 'HEAD') {
    expect(reply.headers['content-type'], about).toBe('application/problem+json; charset=utf-8');
    const { code, status, correlation_id: correlationId, type, title, message } = reply.body;
    expect(errors, about).toHaveProperty(code);
    const kind = errors[code as keyof typeof errors];
    expect({ status, type, title, correlationId }, about).toEqual({
      status: reply.status,
      type: `/docs/reference/errors#${code}`,
      title: kind.meaning,
      correlationId: reply.headers['x-request-id'],
    });
    expect(kind.status, about).toBe(reply.status);
    expect(message, about).toMatch(/\S/);
    if (code === 'validation_error' && reply.body.details) {
      expect(reply.body.details.fields.length, about).toBeGreaterThan(0);
    }
    const operation = operationOf(method, url);
    expect(operation ? allowed(operation, reply.status) : ofNoOperation, about).toContain(code);
  }
  for (const secret of secrets) expect(reply.text, `${about} repeats a secret`).not.toContain(secret);
}
