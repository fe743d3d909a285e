import type { FastifyRequest } from 'fastify';
import type { Mounted, Viewer } from '../../../kernel/act.ts';
import type { Answers } from '../answers.ts';

/** A request that has passed every stage before its handler. */
export interface Passed {
  readonly request: FastifyRequest;
  readonly answers: Answers;
  readonly viewer: Viewer;
  readonly key: string | undefined;
  readonly input: Parameters<Mounted['handle']>[1];
  readonly handle: Mounted['handle'];
}
