import { Fault } from '../../../kernel/fault.ts';
import type { StoredReply } from '../../../kernel/idempotency.ts';
import type { Answered, Answers } from '../answers.ts';

/** Answers a repetition with the stored reply, if it belongs to the same request. Without one, the first still runs. */
export function replay(stored: StoredReply | undefined, asked: string, answers: Answers): Answered {
  if (!stored) {
    answers.retryAfter(1);
    return answers.problem(
      new Fault('idempotency_in_progress', 'A request with this key is still running: repeat it in a second.'),
    );
  }
  if (stored.fingerprint !== asked) {
    return answers.problem(
      new Fault('idempotency_key_reused', 'This Idempotency-Key was used for another request: use a new one.'),
    );
  }
  return stored.body === '' ? answers.problem(answerErased()) : answers.again(stored);
}

/** An answer that named a person loses its text when the person is erased. */
const answerErased = () =>
  new Fault(
    'idempotency_key_reused',
    'This request was done before, and its answer was erased with a person whom it named. Read the object to see what it did; use a new key for another request.',
  );
