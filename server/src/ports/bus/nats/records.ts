import { createHash } from 'node:crypto';
import { JetStreamApiError, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { isMissing, RECORD_SUBJECTS, RECORDS } from './streams.ts';

/** Small notes in a stream that keeps the last one of each subject. */
export interface Records {
  read(subject: string): Promise<{ readonly seq: number; readonly body: unknown } | undefined>;
  write(subject: string, body: object): Promise<void>;
  /** Writes only over the note with that sequence (0: only where none is); answers the new sequence, or nothing. */
  replace(subject: string, seq: number, body: object): Promise<number | undefined>;
}

const WRONG_LAST_SEQUENCE = 10071;

export const leaseSubject = (consumer: string): string => `${RECORD_SUBJECTS}.lease.${consumer}`;
export const triesSubject = (consumer: string, messageId: string): string =>
  `${RECORD_SUBJECTS}.tries.${consumer}.${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`;

export function makeRecords(js: JetStreamClient, jsm: JetStreamManager): Records {
  return {
    async read(subject) {
      const found = await jsm.streams.getMessage(RECORDS, { last_by_subj: subject }).catch((error: unknown) => {
        if (isMissing(error)) return null;
        throw error;
      });
      if (!found) return undefined;
      return { seq: found.seq, body: parse(found.string()) };
    },
    async write(subject, body) {
      await js.publish(subject, JSON.stringify(body));
    },
    async replace(subject, seq, body) {
      try {
        const ack = await js.publish(subject, JSON.stringify(body), { expect: { lastSubjectSequence: seq } });
        return ack.seq;
      } catch (error) {
        if (error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE) return undefined;
        throw error;
      }
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
