import type { Route } from '@gpuaas/contract';
import { Fault } from '../../../kernel/fault.ts';
import type { Answered } from '../answers.ts';
import { makeEncode, mediaType } from '../encode.ts';
import type { Passed } from './passed.ts';

/** Answers a request that changes nothing with one value. */
export function makeAnswerRead(route: Route) {
  const encode = makeEncode(route);
  return async ({ answers, viewer, input, handle }: Passed): Promise<Answered> => {
    const value = await handle(viewer, input);
    if (value instanceof Fault) return answers.problem(value);
    return answers.value(200, encode(value), mediaType(route, input.query));
  };
}
