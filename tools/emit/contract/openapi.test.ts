import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineRoute, errors, type Route, routes } from '@gpuaas/contract';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { root } from '../../lib/tree.ts';
import { birdCreate, birdGet, seasonGet, smallContract } from '../testing.ts';
import { emitOpenapi } from './openapi.ts';

type Any = Record<string, unknown>;
// A test may look wherever it likes; a wrong turn fails in the assertion.
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((found, name) => (found as Any | undefined)?.[name], value);

const emit = (changed: readonly Route[] = smallContract().routes) =>
  JSON.parse(emitOpenapi(smallContract({ routes: changed }))) as Any;

const follow = (document: Any, value: unknown): unknown => {
  const reference = at(value, '$ref');
  return typeof reference === 'string' ? at(document, ...reference.slice(2).split('/')) : value;
};

describe('the OpenAPI document', () => {
  it('has the same text whatever the order of the declarations', () => {
    const contract = smallContract();
    const reversed = { ...contract, routes: contract.routes.toReversed() };
    expect(emitOpenapi(reversed)).toBe(emitOpenapi(contract));
  });

  it('names a schema once and refers to it, also from another route', () => {
    const document = emit();
    const reference = { $ref: '#/components/schemas/Bird' };
    for (const [path, method, status] of [
      ['/api/v1/birds', 'post', '201'],
      ['/api/v1/birds/{bird_id}', 'get', '200'],
    ] as const) {
      const schema = at(document, 'paths', path, method, 'responses', status, 'content', 'application/json', 'schema');
      expect(schema).toEqual(reference);
    }
    expect(at(document, 'components', 'schemas', 'Bird')).toEqual({
      type: 'object',
      additionalProperties: false,
      required: ['id', 'song'],
      properties: { id: { type: 'string', format: 'uuid' }, song: { type: ['string', 'null'] } },
    });
  });

  it('asks for the key, its alias, the project and a request id exactly where the mount reads them', () => {
    const document = emit();
    const headers = (path: string, method: string) =>
      (at(document, 'paths', path, method, 'parameters') as unknown[])
        .map((parameter) => follow(document, parameter) as { name: string; in: string; required: boolean })
        .filter((parameter) => parameter.in === 'header')
        .map(({ name, required }) => [name, required]);
    expect(headers('/api/v1/birds', 'post')).toEqual([
      ['Idempotency-Key', false],
      ['X-Idempotency-Key', false],
      ['X-Project-ID', true],
      ['X-Request-Id', false],
    ]);
    expect(headers('/api/v1/season', 'get')).toEqual([['X-Request-Id', false]]);
  });

  it('writes path and query values as parameters with their own words', () => {
    const parameters = at(emit(), 'paths', '/api/v1/birds/{bird_id}', 'get', 'parameters');
    expect(parameters).toContainEqual({
      name: 'bird_id',
      in: 'path',
      required: true,
      schema: { type: 'string', format: 'uuid' },
    });
    expect(parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'How much of it.',
      schema: { type: 'integer' },
    });
  });

  it('lists what the mount refuses beside what the handler refuses', () => {
    const codes = (path: string, method: string) => at(emit(), 'paths', path, method, 'x-gpuaas-errors');
    expect(codes('/api/v1/season', 'get')).toEqual([
      'internal_error',
      'rate_limit_exceeded',
      'service_unavailable',
      'validation_error',
    ]);
    expect(codes('/api/v1/birds', 'post')).toEqual([
      'account_disabled',
      'idempotency_in_progress',
      'idempotency_key_invalid',
      'idempotency_key_missing',
      'idempotency_key_reused',
      'insufficient_permissions',
      'internal_error',
      'invalid_request',
      'organization_not_empty',
      'origin_refused',
      'payload_too_large',
      'project_not_found',
      'project_required',
      'rate_limit_exceeded',
      'service_account_refused',
      'service_unavailable',
      'token_expired',
      'token_invalid',
      'token_missing',
      'unsupported_media_type',
      'validation_error',
    ]);
  });

  it('answers the 404 of the noun for an object that has an owner, and a general one if the noun has no code', () => {
    const owned = (param: string): Route => ({
      ...birdGet,
      path: `/api/v1/things/{${param}}`,
      tenancy: { kind: 'owner-of', param },
      params: Type.Object({ [param]: Type.String() }),
    });
    const codes = (param: string) =>
      at(emit([owned(param)]), 'paths', `/api/v1/things/{${param}}`, 'get', 'x-gpuaas-errors');
    expect(codes('allocation_id')).toContain('allocation_not_found');
    expect(codes('bird_id')).toContain('resource_not_found');
  });

  it('groups the codes of one status in one answer, as a closed choice', () => {
    const document = emit();
    const conflict = follow(document, at(document, 'paths', '/api/v1/birds', 'post', 'responses', '409'));
    expect(at(conflict, 'x-gpuaas-errors')).toEqual(['idempotency_in_progress', 'organization_not_empty']);
    expect(at(conflict, 'content', 'application/problem+json', 'schema')).toEqual({
      allOf: [
        { $ref: '#/components/schemas/Problem' },
        {
          type: 'object',
          properties: { code: { type: 'string', enum: ['idempotency_in_progress', 'organization_not_empty'] } },
        },
      ],
    });
    expect(at(conflict, 'headers')).toHaveProperty('Retry-After');
  });

  it('shows the correlation id and the budget on every success, and replays only where a key is taken', () => {
    const document = emit();
    const headers = (path: string, method: string, status: string) =>
      Object.keys(at(document, 'paths', path, method, 'responses', status, 'headers') as object);
    expect(headers('/api/v1/season', 'get', '200')).toEqual(['RateLimit', 'RateLimit-Policy', 'X-Request-Id']);
    expect(headers('/api/v1/birds', 'post', '201')).toContain('Idempotency-Replayed');
  });

  it('carries what OpenAPI has no word for as extensions', () => {
    expect(at(emit(), 'paths', '/api/v1/birds', 'post')).toMatchObject({
      operationId: 'bird_create',
      security: [{ bearer: ['projects:write'] }],
      'x-gpuaas-scope': 'projects:write',
      'x-gpuaas-service-accounts': 'refused',
      'x-gpuaas-tenancy': { kind: 'header' },
      'x-gpuaas-lane': 'default',
      'x-gpuaas-idempotency': 'key',
      'x-gpuaas-audit': 'bird.create',
    });
    expect(at(emit(), 'x-gpuaas-errors', 'rate_limit_exceeded')).toEqual({
      status: 429,
      meaning: errors.rate_limit_exceeded.meaning,
      retryable: true,
      who_acts: 'caller',
    });
    expect(at(emit(), 'x-gpuaas-lanes', 'default', 'default_requests_per_minute')).toBe(120);
  });

  it('says that a public route needs nothing, and a node route a certificate', () => {
    const node = defineRoute({ ...seasonGet, id: 'node_see', path: '/internal/v1/see', auth: { kind: 'node' } });
    const document = emit([seasonGet, node]);
    expect(at(document, 'paths', '/api/v1/season', 'get', 'security')).toEqual([]);
    expect(at(document, 'paths', '/internal/v1/see', 'get', 'security')).toEqual([{ nodeCertificate: [] }]);
  });

  it('refuses two different schemas of one name, and a reference to a schema that nobody declares', () => {
    const impostor = { ...birdGet, response: Type.Object({}, { $id: 'Bird' }) };
    expect(() => emit([birdCreate(), impostor])).toThrow('both named "Bird"');
    const lost = { ...birdGet, response: Type.Object({ egg: Type.Ref('Egg') }) };
    expect(() => emit([lost])).toThrow('nothing declares: Egg');
  });

  it('has every route of the product as one operation', () => {
    const document = emit(routes);
    const ids = Object.values(at(document, 'paths') as Record<string, Record<string, Any>>).flatMap((methods) =>
      Object.values(methods).map((operation) => operation['operationId']),
    );
    expect(ids).toHaveLength(routes.length);
    expect(new Set(ids)).toEqual(new Set(routes.map((route) => route.id)));
  });

  it('has at least 50 error codes, 150 operations and 30 tags', () => {
    const written = JSON.parse(readFileSync(join(root, 'api/openapi.json'), 'utf8')) as Any;
    const operations = Object.values(at(written, 'paths') as Record<string, Record<string, Any>>).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, operation]) => (method === 'parameters' ? [] : [operation])),
    );
    expect(operations.length).toBeGreaterThanOrEqual(150);
    const tags = new Set(operations.flatMap((operation) => operation['tags'] as string[]));
    expect(tags.size).toBeGreaterThanOrEqual(30);
    expect(Object.keys(errors).length).toBeGreaterThanOrEqual(50);
  });
});
