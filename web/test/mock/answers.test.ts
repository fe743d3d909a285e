import { allocationGet, routes } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { answerOf, findRoute } from './answers.ts';

describe('the mock of the API', () => {
  it('has an answer for every operation that fits the schema of the contract', () => {
    const wrong = routes.flatMap((route) => {
      try {
        answerOf(route.response);
        return [];
      } catch (error) {
        return [`${route.id}: ${(error as Error).message}`];
      }
    });
    expect(wrong).toEqual([]);
    expect(routes.length).toBeGreaterThan(200);
  });

  it('finds every operation by its method and path, and takes a fixed path before one with a parameter', () => {
    const lost = routes.filter((route) => {
      const path = route.path.replaceAll(/\{\w+\}/g, 'a1');
      return findRoute(route.method, path)?.route.id !== route.id;
    });
    expect(lost.map(({ id }) => id)).toEqual([]);
  });

  it('refuses an answer that the server could not give', () => {
    expect(() => answerOf(allocationGet.response, { state: 'sleeping' } as never)).toThrow(/state/);
  });
});
