import { Type } from 'typebox';
import { Timestamp } from '../../ids.ts';

/** Attempts of a launch: one that fails because of its host is tried on another host. */
export const attemptFields = {
  attempt: Type.Integer({ minimum: 1, description: 'The number of this attempt.' }),
  max_attempts: Type.Integer({
    minimum: 1,
    description: 'The most attempts: a launch that fails because of its host is tried on another one.',
  }),
};

export const FailedAttempts = Type.Array(
  Type.Object(
    { attempt: Type.Integer(), code: Type.String(), reason: Type.String(), failed_at: Timestamp },
    { additionalProperties: false },
  ),
  { description: 'Attempts that failed because of their host and were retried.' },
);
