import type { Route } from '@gpuaas/contract';
import { Compile } from 'typebox/compile';

/** An answer must match its contract. A write whose answer does not is rolled back, a read fails. */
export function makeEncode(route: Route): (value: unknown) => string {
  const promised = Compile(route.response);
  return (value) => {
    if (!promised.Check(value)) {
      const [first] = promised.Errors(value);
      throw new Error(`${route.id} answers against its contract at ${first?.instancePath || '/'}: ${first?.message}`);
    }
    return route.method === 'GET' && route.text ? String(value) : JSON.stringify(value);
  };
}

/** The media type of an answer. A text route with several offers the one whose ending its caller asked for. */
export function mediaType(route: Route, query: unknown): string {
  const offered = route.method === 'GET' ? route.text : undefined;
  if (!offered) return 'application/json; charset=utf-8';
  const format = (query as { format?: string } | undefined)?.format ?? '';
  const type = offered.find((each) => format !== '' && each.endsWith(format)) ?? offered[0];
  return type?.endsWith('parquet') ? type : `${type}; charset=utf-8`;
}
