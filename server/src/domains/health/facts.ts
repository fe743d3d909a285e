import { hourMs, minuteMs, secondMs } from '../../kernel/units.ts';

/** The thresholds of warning and failure. All of them are in seconds or counts. */
export interface Limits {
  readonly warn: number;
  readonly bad: number;
}
const seconds = (ms: number): number => ms / secondMs;

/** An event waits for milliseconds; a relay that was restarted is back within seconds. */
export const outboxAge: Limits = { warn: seconds(10 * secondMs), bad: seconds(minuteMs) };
/** A consumer is a second behind when it is busy, and some minutes when an event is tried again. */
export const consumerAge: Limits = { warn: seconds(5 * minuteMs), bad: seconds(hourMs) };
/** As many as one consumer handles within seconds, and as many as nobody wants to wait for. */
export const consumerDepth: Limits = { warn: 100, bad: 10_000 };
/** One dead letter has to be looked at; many are an incident. */
export const deadLetters: Limits = { warn: 1, bad: 25 };
/** A node takes its task within a second when it is there. */
export const taskAge: Limits = { warn: seconds(30 * secondMs), bad: seconds(5 * minuteMs) };
/** One lost node is work for an operator, five are an outage. */
export const lostNodes: Limits = { warn: 1, bad: 5 };
/** Signatures and leases bear a few seconds; certificates and tokens begin to fail at a minute. */
export const clockSkew: Limits = { warn: 2, bad: seconds(minuteMs) };
/** A certificate that is not renewed hours before its end will not be. */
export const certificates: Limits = { warn: 1, bad: 25 };
/** A row is sealed within a second; one that is not after an hour will not be by itself. */
export const unsealedAge: Limits = { warn: seconds(minuteMs), bad: seconds(hourMs) };
/** A round trip within one machine room takes a millisecond. */
export const answerMs: Limits = { warn: 50, bad: 500 };
/** Of a hundred connections that the database allows. */
export const connectionsPercent: Limits = { warn: 80, bad: 95 };
/** What a share is multiplied by, to be read as a percentage. */
export const wholePercent = 100;
/** The newest rows of the audit log, which are the only ones that can be unsealed. */
export const newestRows = 1_000;
