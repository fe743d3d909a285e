import { hourMs, secondMs } from '../../kernel/units.ts';

/** The channel on which commits announce that slots came free. */
export const capacityChannel = 'gpuaas_capacity';
/** The last resort for a wait for a node: the task itself expires long before and answers the wait. */
export const answerWithinMs = 24 * hourMs;
/** Allocations or nodes that one round of a guard looks at before it comes round again. */
export const guardBatch = 200;
/** A node fetches a task within milliseconds. One that has not after this time gets a saga, which a person can call off. */
export const fetchedWithinMs = 10 * secondMs;
/** From this count on a slice is a whole dual-socket host, and spans its NUMA groups: no group has as many GPUs. */
export const spanningGpus = 8;
/** Candidates that a decision names one by one. The rest is counted: the document is kept for ever. */
export const maxNamed = 50;
/** Allocations that a sentence names; its details have more of them. */
export const namedInSentence = 5;
/** Hosts that a refusal looks at. Beyond that the reasons repeat themselves, and a refusal has to stay cheap. */
export const maxSurveyed = 2_000;
/** Hosts that are read at once when the index is filled; keeps one answer at some hundred kilobytes. */
export const indexPage = 500;
/** How often the index is filled anew, also without notifications: a lost one costs a query more until then. */
export const indexRefreshMs = 60 * 1_000;
/** Slots that come free within this time are learnt together: the index is a hint and may be that old. */
export const indexRestMs = 50;
/** Slots that one process remembers to be taking; more than it has transactions at a time, and small. */
export const maxInFlight = 1_024;
/** Picks that wait for locks, after all picks without waiting failed. Each sees what was committed meanwhile. */
export const waitingPicks = 3;
/** Hosts that a retry tries in turn, when other requests take their slots meanwhile. */
export const retryPicks = 3;
/** Prices are per hour, durations in seconds. */
export const secondsPerHour = 3_600;
/** How often the queue runs without a notification: for deadlines, and for notifications that were lost. */
export const queueEveryMs = 5 * 1_000;
/** Rows of the queue that one answer shows; filter by SKU and region to see the others. */
export const maxQueueShown = 500;
/** The longest time from a node's writing of a report to its commit. */
export const reportLagMs = 10 * secondMs;
/** The version of the sagas of allocations. Runs of version 1 recorded each part of what is one transaction in version 2. */
export const sagaVersion = 2;
/** Each pause before a further start is this many times the one before: what failed twice is rarely mended in a minute. */
export const startPauseGrowth = 2;
/**
 * Starts of a stopped machine that may fail, one after the other, before it stays stopped. A host that is busy gets over it in the
 * second try; what fails three times is broken or is made to fail, and each try is time of GPUs that nobody can use.
 */
export const startTries = 3;
