import { Type } from 'typebox';
import { Timestamp } from '../../ids.ts';

/** How often a launch was tried: one that fails because of its host goes to another one. */
export const attemptFields = {
  attempt: Type.Integer({ minimum: 1, description: 'Which attempt to launch it this is, or was.' }),
  max_attempts: Type.Integer({
    minimum: 1,
    description: 'How many there are at most: a launch that fails because of its host is tried on another one.',
  }),
};

export const FailedAttempts = Type.Array(
  Type.Object(
    { attempt: Type.Integer(), code: Type.String(), reason: Type.String(), failed_at: Timestamp },
    { additionalProperties: false },
  ),
  { description: 'Attempts that failed because of their host, and were followed by another one.' },
);
