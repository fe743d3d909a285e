import { hourMs, secondMs } from '../../kernel/units.ts';

/** Where it is announced that slots came free. A name between processes of one installation. */
export const capacityChannel = 'gpuaas_capacity';
/** The backstop of a wait for a node: the task itself expires long before, and says so. */
export const answerWithinMs = 24 * hourMs;
/** Allocations or nodes that one round of a guard looks at before it comes round again. */
export const guardBatch = 200;
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
/** How often the index is filled anew, whatever it was told: it is only a hint, and being wrong costs a look more. */
export const relearnMs = 60 * 1_000;
/** What comes free in this time after a look is learnt together: the index is a hint, and may be as old as that. */
export const learnRestMs = 50;
/** Slots that one process remembers to be taking; more than it has transactions at a time, and small. */
export const maxInFlight = 1_024;
/** Picks that wait for somebody else, when all that do not wait were in vain. Each sees what was committed meanwhile. */
export const patientPicks = 3;
/** Hosts that are tried in turn for a launch that failed elsewhere, when others take them away meanwhile. */
export const retryPicks = 3;
/** Prices are per hour, durations in seconds. */
export const secondsPerHour = 3_600;
/** How often those who wait are looked at without having been told: for deadlines, and for wake-ups that were lost. */
export const queueEveryMs = 5 * 1_000;
/** Rows of the queue that one look shows; whoever needs more filters by SKU and region. */
export const maxQueueShown = 500;
/** A node writes its report, sends it, and it is written down with others: that takes less than this. */
export const reportLagMs = 10 * secondMs;
/** Of the sagas of allocations. Runs of the first one recorded each part of what is one transaction since the second. */
export const sagaVersion = 2;
