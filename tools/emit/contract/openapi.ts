import { type ErrorCode, isWrite, laneOf, Problem, type Route } from '@gpuaas/contract';
import type { TSchema } from 'typebox';
import type { Contract } from '../contract.ts';
import { byText, type Json, type JsonObject, stableJson } from '../json.ts';
import { allErrors } from '../mount-errors.ts';
import { makeSchemaBook, type SchemaBook } from '../schema.ts';
import { propertiesOf } from './check-contract.ts';
import { headers, parameters, securitySchemes, sharedProblems } from './openapi-parts.ts';

/**
 * OpenAPI 3.1 from the routes. Everything that the mount does for every route is written out for every route: a generator of clients or tests needs this file alone.
 */
export function emitOpenapi(contract: Contract): string {
  const book = makeSchemaBook('#/components/schemas/');
  const problem = book.show(Problem);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of contract.routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(contract, route, book) };
  }
  return stableJson({
    openapi: '3.1.0',
    info: {
      title: 'GPUaaS',
      version: contract.version,
      summary: 'Rents GPU capacity, bills it from an append-only ledger and gives controlled access to it.',
      description:
        'Every refusal is application/problem+json and carries one of the codes in x-gpuaas-errors. Every write takes an Idempotency-Key unless its operation says why it needs none.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Whichever installation served this document.' }],
    tags: [...new Set(contract.routes.map((route) => route.tag))].sort(byText).map((name) => ({ name })),
    paths,
    components: {
      schemas: book.named(),
      parameters,
      headers,
      securitySchemes,
      responses: Object.fromEntries(
        Object.entries(sharedProblems).map(([name, codes]) => [name, problemResponse(contract, codes, problem)]),
      ),
    },
    'x-gpuaas-errors': Object.fromEntries(
      Object.entries(contract.errors).map(([code, { status, meaning, retryable, whoActs }]) => [
        code,
        { status, meaning, retryable, who_acts: whoActs },
      ]),
    ),
    'x-gpuaas-scopes': contract.scopes,
    'x-gpuaas-lanes': Object.fromEntries(
      Object.entries(contract.lanes).map(([name, { policy, perMinute }]) => [
        name,
        { policy, default_requests_per_minute: perMinute },
      ]),
    ),
  });
}

function operation(contract: Contract, route: Route, book: SchemaBook): JsonObject {
  const scope = 'scope' in route.auth ? route.auth.scope : undefined;
  const codes = allErrors(route);
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    security: security(route),
    parameters: [
      ...headerParameters(route),
      ...valueParameters(route, 'path', book),
      ...valueParameters(route, 'query', book),
    ],
    requestBody: requestBody(route, book),
    responses: { ...success(route, book), ...refusals(contract, codes) },
    'x-gpuaas-auth': { ...route.auth },
    'x-gpuaas-scope': scope,
    'x-gpuaas-service-accounts': route.auth.kind === 'user' ? route.auth.serviceAccounts : undefined,
    'x-gpuaas-tenancy': { ...route.tenancy },
    'x-gpuaas-lane': laneOf(route),
    'x-gpuaas-idempotency': isWrite(route) ? route.idempotency : undefined,
    'x-gpuaas-audit': isWrite(route) ? route.audit : undefined,
    'x-gpuaas-step-up': route.stepUp && { ...route.stepUp },
    'x-gpuaas-only': route.only,
    'x-gpuaas-shown-once': route.shownOnce,
    'x-gpuaas-errors': codes,
  };
}

function requestBody(route: Route, book: SchemaBook): JsonObject | undefined {
  if (!isWrite(route)) return undefined;
  if (route.upload) {
    const { name, description } = route.upload;
    const content = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
    return { required: true, description, content, 'x-gpuaas-name': name };
  }
  return route.body && { required: true, content: { 'application/json': { schema: book.show(route.body) } } };
}

function security({ auth }: Route): Json {
  switch (auth.kind) {
    case 'public':
      return [];
    case 'node':
      return [{ nodeCertificate: [] }];
    default:
      return [{ bearer: [auth.scope] }];
  }
}

const use = (kind: 'parameters' | 'headers' | 'responses', name: string) => ({ $ref: `#/components/${kind}/${name}` });

function headerParameters(route: Route): JsonObject[] {
  const byKey = isWrite(route) && route.idempotency === 'key';
  return [
    ...(byKey ? [use('parameters', 'IdempotencyKey'), use('parameters', 'IdempotencyKeyAlias')] : []),
    ...(route.tenancy.kind === 'header' ? [use('parameters', 'ProjectId')] : []),
    use('parameters', 'RequestId'),
  ];
}

function valueParameters(route: Route, place: 'path' | 'query', book: SchemaBook): JsonObject[] {
  const schema = place === 'path' ? route.params : route.query;
  if (schema === undefined) return [];
  const required = 'required' in schema ? (schema.required as string[]) : [];
  return Object.entries(propertiesOf(schema))
    .sort(([a], [b]) => byText(a, b))
    .map(([name, property]) => {
      const { description, ...rest } = book.show(property as TSchema);
      return { name, in: place, required: place === 'path' || required.includes(name), description, schema: rest };
    });
}

function success(route: Route, book: SchemaBook): JsonObject {
  const status = isWrite(route) ? (route.status ?? 200) : 200;
  const replayed = isWrite(route) && route.idempotency === 'key';
  return {
    [status]: {
      description: route.summary,
      headers: {
        ...everyAnswer,
        'Idempotency-Replayed': replayed ? use('headers', 'IdempotencyReplayed') : undefined,
      },
      content: Object.fromEntries(
        ((route.method === 'GET' && route.text) || ['application/json']).map((type) => [
          type,
          { schema: book.show(route.response) },
        ]),
      ),
    },
  };
}

const everyAnswer: JsonObject = {
  'X-Request-Id': use('headers', 'RequestId'),
  RateLimit: use('headers', 'RateLimit'),
  'RateLimit-Policy': use('headers', 'RateLimitPolicy'),
};

function refusals(contract: Contract, codes: readonly ErrorCode[]): JsonObject {
  const byStatus = Map.groupBy(codes, (code) => errorOf(contract, code).status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [String(status), refusal(contract, group)]));
}

function refusal(contract: Contract, codes: readonly ErrorCode[]): JsonObject {
  const shared = Object.entries(sharedProblems).find(
    ([, members]) => members.length === codes.length && members.every((code) => codes.includes(code)),
  );
  if (shared !== undefined) return use('responses', shared[0]);
  return problemResponse(contract, codes, { $ref: '#/components/schemas/Problem' });
}

function problemResponse(contract: Contract, codes: readonly ErrorCode[], problem: JsonObject): JsonObject {
  const sorted = [...codes].sort(byText);
  const mayWait = sorted.some((code) => errorOf(contract, code).retryable && errorOf(contract, code).status !== 500);
  return {
    description: sorted.map((code) => `\`${code}\`: ${errorOf(contract, code).meaning}`).join('\n\n'),
    headers: {
      'X-Request-Id': use('headers', 'RequestId'),
      'Retry-After': mayWait ? use('headers', 'RetryAfter') : undefined,
    },
    content: {
      'application/problem+json': {
        schema: { allOf: [problem, { type: 'object', properties: { code: { type: 'string', enum: sorted } } }] },
      },
    },
    'x-gpuaas-errors': sorted,
  };
}

function errorOf(contract: Contract, code: string) {
  const kind = contract.errors[code];
  if (kind === undefined) throw new Error(`No error is called ${code}.`);
  return kind;
}
