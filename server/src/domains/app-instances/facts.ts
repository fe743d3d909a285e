import { hourMs, minuteMs } from '../../kernel/units.ts';

/** Instances that one round of the guard looks at; more rounds follow. */
export const guardBatch = 200;
/** Instances that one allocation has at most: hosts list no more containers than this. */
export const mostPerAllocation = 64;
/** How long the host looks whether a container answers, for one question. */
export const readyWaitSeconds = 20;
/** Fetching an image takes as long as this at most. */
export const pullSeconds = 1_800;
/** The size of /dev/shm where a manifest says nothing, as its schema promises. */
export const usualShmMib = 64;
/** The size of /tmp where a manifest says nothing, as its schema promises. */
export const usualScratchMib = 64;
/** Processes of a container where a manifest says nothing, as its schema promises. */
export const usualPids = 1_024;
/** The random part of a label, behind the name of its endpoint: nobody guesses it. */
export const labelBytes = 6;
/** The name of the endpoint is cut so that the label fits into one part of a host name. */
export const mostLabelName = 32;
/** A one-time code of a browser is used by the next redirect. */
export const codeMs = minuteMs;
/** A browser signs in again at an app after a working day. Rights are asked for at each request all the same. */
export const sessionMs = 12 * hourMs;
/** 256 bits: nobody guesses them. */
export const secretBytes = 32;
/** Days of use when nobody says how many. */
export const usualUseDays = 30;
/** Copies of the app-proxy hand in what they have counted each minute: nothing is idle before they had time to. */
export const useReportedMs = 3 * minuteMs;
/** Lines of a log when nobody says how many. */
export const usualLogLines = 200;
/** A reason is cut to what its column holds. */
export const longestReason = 1_000;
/** Failures that another try may not meet: the host was slow, away or overtaken. What the order itself is wrong about is not tried again. */
export const retried: readonly string[] = [
  'stalled',
  'image_unavailable',
  'host_not_ready',
  'aborted',
  'container_hung',
];
/** Hosts take no longer name of a volume. */
export const longestVolume = 32;
/** The letters of the instance's id in the name of its volume. */
export const volumeSuffix = 10;
