import type { NotificationKind } from '@gpuaas/contract';
import { computeWords } from './compute.ts';
import { moneyWords } from './money.ts';
import { operationsWords } from './operations.ts';
import { paymentWords } from './payments.ts';
import { peopleWords } from './people.ts';
import type { Facts, Message, Words } from './words.ts';

/** Every kind has words, or this does not compile. */
const words: Words = { ...computeWords, ...peopleWords, ...moneyWords, ...paymentWords, ...operationsWords };

/** Whether it is about a machine that does not exist. The events of allocations say so. */
export const isSimulated = ({ payload }: Pick<Facts, 'payload'>): boolean => payload['simulated'] === true;
const simulatedWords = 'Its host is simulated: there is no such machine.';

export function messageOf(kind: NotificationKind, facts: Facts): Message {
  const message = words[kind](facts);
  return isSimulated(facts) ? { ...message, text: [...message.text, simulatedWords] } : message;
}
