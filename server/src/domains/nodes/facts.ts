import { hourMs, secondMs } from '../../kernel/units.ts';

/** A key that another process made, revoked or activated is known here after this long at the latest. */
export const signersLookAgainMs = 5 * secondMs;
/** Keys that are shown to operators: those of some years. */
export const signersShown = 100;
/** Keys in the list for nodes: those they obey, and as many before them as a long absence may have missed. */
export const signersAnnounced = 16;
/** Between two audit rows about the same kind of refusal of one node; the metric counts each. */
export const refusalsAuditedEveryMs = hourMs;
/** Kinds of refusals by node that are remembered; with more, some are written down again. */
export const refusalsRemembered = 10_000;
/** Nodes that one statement serves, so that no transaction grows with the fleet. */
export const nodesAtOnce = 500;
/** The backstop of a wait for a node: the task itself expires long before, and says so. */
export const answerWithinMs = 24 * hourMs;
/** Tasks that one round of the sweeper ends or answers. */
export const sweepBatch = 200;
/** The interval of marking answers as delivered to sagas. */
export const markEveryMs = secondMs;
/** The ids of tasks that one audit row names; the rest is counted. */
export const taskIdsNamed = 20;
/** The randomness of an enrolment token: nobody guesses 256 bits. */
export const enrolmentTokenBytes = 32;
/** Allocations that a refusal names; the rest is counted. */
export const allocationsNamed = 20;
/** Allocations that the list of stuck ones shows. More at once are one incident, not many. */
export const stuckShown = 200;
/** Work on the node itself belongs to no lease. */
export const nodeGeneration = 1;
/** What a file of secrets on a host is opened with: its owner alone. */
export const secretFileMode = '0600';
/** The same for a program. */
export const privateFileMode = '0700';
/** A certificate that was revoked is refused after this long, should the word of it get lost. */
export const denialsLookAgainMs = 4 * secondMs;
/** What the product promises: one transaction a second for all heartbeats. */
export const reportsEveryMs = secondMs;
/** Nodes whose last word one process holds, at some kilobytes each: ten times the largest fleet. */
export const maxReportsHeld = 100_000;
/** Processes that hear nodes say so every five seconds; after three that are missing nobody was listening. */
export const pulseMissedMs = 15 * secondMs;
/** A certificate of 24 hours is renewed after 16; half of the rest is left when the alert begins. */
export const certificateWarningMs = 4 * hourMs;
/** Moments of timelines that say what is usual: those of some thousand allocations, however busy the days were. */
export const momentsRead = 50_000;
/** Packages of the agent that are looked through for an installer: those of some years. */
export const packagesLookedThrough = 200;
