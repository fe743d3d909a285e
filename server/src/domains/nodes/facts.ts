import { secondMs } from '../../kernel/units.ts';

/** A key that another process made, revoked or activated is known here after this long at the latest. */
export const signersLookAgainMs = 5 * secondMs;
/** Keys that are shown to operators: those of some years. */
export const signersShown = 100;
/** Nodes that one statement serves, so that no transaction grows with the fleet. */
export const nodesAtOnce = 500;
/** Tasks that one round of the sweeper ends or answers. */
export const sweepBatch = 200;
/** How long whoever wrote a result has for telling the saga, before the sweeper tells it. */
export const answerGraceMs = 3 * secondMs;
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
