import type { NotificationKind } from '@gpuaas/contract';
import { computeWords } from './compute.ts';
import { moneyWords } from './money.ts';
import { operationsWords } from './operations.ts';
import { paymentWords } from './payments.ts';
import { peopleWords } from './people.ts';
import type { Facts, Message, Words } from './words.ts';

/** Every kind has words, or this does not compile. */
const words: Words = { ...computeWords, ...peopleWords, ...moneyWords, ...paymentWords, ...operationsWords };

export const messageOf = (kind: NotificationKind, facts: Facts): Message => words[kind](facts);
