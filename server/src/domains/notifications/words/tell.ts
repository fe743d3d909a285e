import type { NotificationKind } from '@gpuaas/contract';
import { computeWords } from './compute.ts';
import { moneyWords } from './money.ts';
import { operationsWords } from './operations.ts';
import { peopleWords } from './people.ts';
import type { Facts, Told, Words } from './words.ts';

/** Every kind has words, or this does not compile. */
const words: Words = { ...computeWords, ...peopleWords, ...moneyWords, ...operationsWords };

export const tell = (kind: NotificationKind, facts: Facts): Told => words[kind](facts);
