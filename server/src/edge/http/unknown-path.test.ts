import { type Route, versionGet } from '@gpuaas/contract';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { refuseUnknown } from './unknown-path.ts';

const lost = { html: '<h1>There is no such page</h1>', headers: { 'content-type': 'text/html; charset=utf-8' } };

describe('an address where there is nothing', () => {
  const ask = async (method: 'GET' | 'POST', url: string, accept: string) => {
    const app = Fastify();
    app.setNotFoundHandler((request, reply) => refuseUnknown([], request, reply, lost));
    const answer = await app.inject({ method, url, headers: { accept } });
    await app.close();
    return answer;
  };

  it('is a page to a person who mistyped it', async () => {
    const answer = await ask('GET', '/alocations', 'text/html,application/xhtml+xml');
    expect([answer.statusCode, answer.body]).toEqual([404, lost.html]);
  });

  it.each([
    ['GET', '/alocations', '*/*'],
    ['GET', '/api/v1/alocations', 'text/html'],
    ['GET', '/internal/x', 'text/html'],
    ['POST', '/alocations', 'text/html'],
  ] as const)('is a problem to a program: %s %s with %s', async (method, url, accept) => {
    const answer = await ask(method, url, accept);
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json()).toMatchObject({ code: 'route_not_found' });
  });
});

describe('a method that a path does not take', () => {
  it('is answered with the methods of that path alone, not of a sibling with a parameter', async () => {
    const route = (method: 'GET' | 'PUT', path: `/${string}`) => ({ ...versionGet, method, path }) as Route;
    const app = Fastify();
    const routes = [route('GET', '/things/mine'), route('PUT', '/things/{id}')];
    app.setNotFoundHandler((request, reply) => refuseUnknown(routes, request, reply));
    const allowed = async (url: string) => (await app.inject({ method: 'DELETE', url })).headers.allow;
    expect(await allowed('/things/mine')).toBe('GET, HEAD');
    expect(await allowed('/things/7')).toBe('PUT');
    await app.close();
  });
});
